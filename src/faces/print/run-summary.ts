/** What a run leaves on the terminal: what became of it, and its git worktrees. Pure. */

import { hasFailed, isOver } from "../../core/model/agent.ts";
import { worktreesLeft } from "../../core/run/file-events.ts";
import { agentsInOrder, type RunState, totalsOf } from "../../core/run/run-state.ts";
import { formatDuration } from "../../text/durations.ts";
import { counted, formatDollars } from "../../text/numbers.ts";
import { describeKeptWorktree } from "../../view/words/worktrees.ts";

/** `run e380: 61 agents, 6 failed, 6m11s, $0.42 — agent attach e380`. `name`: what the run is called on the command line. */
export function runSummary(run: RunState, name: string, now: number): string {
	const agents = agentsInOrder(run);
	const { alive, costUsd } = totalsOf(agents);
	const stopped = agents.filter((agent) => isOver(agent) && agent.state.ending.by === "stopped").length;
	const facts = [
		counted(agents.length, "agent"),
		...some(alive, "alive"),
		...some(stopped, "stopped"),
		...some(agents.filter(hasFailed).length, "failed"),
		formatDuration((run.ended?.at ?? now) - run.startedAt),
		...(costUsd === 0 ? [] : [costUsd === null ? "cost unknown" : formatDollars(costUsd)]),
	];
	return `run ${name}: ${facts.join(", ")} — agent attach ${name}`;
}

function some(count: number, what: string): string[] {
	return count === 0 ? [] : [`${count} ${what}`];
}

/** A line for each git worktree that the run leaves. */

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
