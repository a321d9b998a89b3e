/** The git worktree that a run's root is asked to work in. */
import type { OptionValues } from "../../config/option-table.ts";
import { AgentreeError } from "../../core/errors.ts";
import type { OwnWorktree } from "../../core/schemas/own-worktree.ts";

/** `name`: absent where the run's and the agent's are to be it. */
export interface AskedWorktree {
	readonly name?: string;
}

/** Throws AgentreeError("usage"). */
export function worktreeOption({ worktree }: OptionValues): AskedWorktree | undefined {
	if (worktree === undefined || worktree === false) return undefined;
	if (worktree === "") throw new AgentreeError("usage", "--worktree= needs a name; without one: --worktree");
	return typeof worktree === "string" ? { name: worktree } : {};
}

export interface WorktreePlace {
	/** Where the agent would work without. */
	readonly cwd: string;
	/** The state directory. */
	readonly home: string;
	readonly env: Readonly<Record<string, string | undefined>>;
}

const MOST_LOOK_MS = 60_000;

/** Nothing is made yet. `usual`: its name when none is given. Throws AgentreeError("usage") where there can be none. */
export async function placeOfRoot(
	{ name }: AskedWorktree,
	usual: string,
	{ cwd, home, env }: WorktreePlace,
): Promise<OwnWorktree> {
	const { repositoryGit } = await import("../../worktree/agents/repository-git.ts");
	const { lookAtRepository, placeOf, requireFree } = await import("../../worktree/agents/place-worktree.ts");
	const git = repositoryGit({ env, signal: AbortSignal.timeout(MOST_LOOK_MS) });
	const facts = await lookAtRepository(cwd, git);
	if (name !== undefined) await requireFree(facts, { name, home }, git);
	return placeOf(facts, name ?? usual, home);
}
