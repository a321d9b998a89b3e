/** A line for each git worktree that a run leaves. Pure. */

import { worktreesLeft } from "../../core/run/file-events.ts";
import type { RunState } from "../../core/run/run-state.ts";
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
