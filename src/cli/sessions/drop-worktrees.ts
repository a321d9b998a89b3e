/**
 * The git worktrees of a run that is removed: those in which nothing would be lost go with it, also when all of their commits are in
 * another branch by now. The others stay, since they are work of somebody, and are told of.
 */
import { AgentreeError } from "../../core/errors.ts";
import type { RunState } from "../../core/run-state.ts";
import { worktreesLeft } from "../../core/worktrees.ts";
import { replayRun } from "../../store/load-run.ts";
import { describeKeptWorktree } from "../../text/worktrees.ts";

const MOST_MS = 120_000;

/** `directory`: of the run; `home`: the state directory. Gives a line for each that stays. */
export async function dropWorktrees(
	directory: string,
	{ env, home }: { env: Readonly<Record<string, string | undefined>>; home: string },
): Promise<string[]> {
	const left = worktreesLeft(stateIn(directory));
	if (left.length === 0) return [];
	const { repositoryGit } = await import("../../worktree/agents/repository-git.ts");
	const { settleWorktree } = await import("../../worktree/agents/settle-worktree.ts");
	const lines: string[] = [];
	for (const [agent, { state: _, ...own }] of left) {
		const git = repositoryGit({ env, signal: AbortSignal.timeout(MOST_MS) });
		const settled = await settleWorktree(own, { git, home, goesWhenMerged: true });
		if (settled.is === "kept") lines.push(`of agent ${agent} ${describeKeptWorktree(own, settled)}`);
	}
	return lines;
}

/** A run that is too damaged to be read has none that is known. */
function stateIn(directory: string): Pick<RunState, "worktrees"> {
	try {
		return replayRun(directory).state;
	} catch (error) {
		if (error instanceof AgentreeError) return {};
		throw error;
	}
}
