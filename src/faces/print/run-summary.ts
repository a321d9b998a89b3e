/** What became of a run, or how it stands, in one line: what a dashboard leaves on the terminal. */

import { hasFailed, isOver } from "../../core/model/agent.ts";
import { agentsInOrder, type RunState, totalsOf } from "../../core/run/run-state.ts";
import { formatDuration } from "../../text/durations.ts";
import { formatDollars } from "../../text/money.ts";
import { counted } from "../../text/numbers.ts";

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
