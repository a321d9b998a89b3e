/** The git worktrees that a run leaves, for the person whose run it was: a line each. Pure. */
import type { RunState } from "../../core/run/run-state.ts";
import { worktreesLeft } from "../../core/run/worktrees.ts";
import { describeKeptWorktree } from "../../view/words/worktrees.ts";

const MAX_LINES = 20;

export function keptWorktreeLines(run: RunState): string[] {
	const lines = worktreesLeft(run).flatMap(([agent, { state, ...worktree }]) =>
		state.is === "kept" ? [`agent ${agent}: ${describeKeptWorktree(worktree, state)}`] : [],
	);
	const more = lines.length - MAX_LINES;
	return more > 0
		? [...lines.slice(0, MAX_LINES), `${more} more git worktrees were kept: agent log ${run.run}`]
		: lines;
}
