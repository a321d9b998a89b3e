/** The git worktree that a run's root is asked to work in. */
import { realpathSync } from "node:fs";
import { AgentreeError } from "../../core/errors.ts";
import { accessTo } from "../../core/machine/sandbox.ts";
import { worktreesOfRun } from "../../core/run/worktrees.ts";
import type { OwnWorktree } from "../../core/schemas/own-worktree.ts";
import type { OptionValues } from "../../project/config/option-table.ts";
import { personOf } from "../../project/person.ts";
import type { RunSettings } from "../../supervisor/run-settings.ts";
import { NONE_IF_READ_ONLY, noWritableRepository } from "../../view/words/worktrees.ts";

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
	readonly run: string;
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
	{ run, cwd, home, env }: WorktreePlace,
): Promise<OwnWorktree> {
	const { repositoryGit } = await import("../../project/worktrees/repository-git.ts");
	const { lookAtRepository, placeOf, requireFree } = await import("../../project/worktrees/place-worktree.ts");
	const git = repositoryGit({ env, signal: AbortSignal.timeout(MOST_LOOK_MS) });
	const facts = await lookAtRepository(cwd, git, personOf(env));
	const within = worktreesOfRun(run, realpathSync(home));
	if (name !== undefined) await requireFree(facts, { name, within }, git);
	return placeOf(facts, name ?? usual, within);
}

/** Throws AgentreeError("usage") where the run's sandbox leaves no room for it. */
export function requireRoomFor(own: OwnWorktree | undefined, { sandbox }: Pick<RunSettings, "sandbox">): void {
	if (own === undefined || sandbox === undefined) return;
	const { mode, mounts } = sandbox.confinement;
	if (mode === "read-only") throw new AgentreeError("usage", NONE_IF_READ_ONLY);
	if (accessTo(own.repository, mounts) !== "write")
		throw new AgentreeError("usage", noWritableRepository(own.repository));
}
