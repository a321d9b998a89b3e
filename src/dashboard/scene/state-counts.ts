/** How many agents do what. Counted once for a state of the run. Pure. */
import { type Agent, hasFailed } from "../../core/agent.ts";
import { pauseOf } from "../../core/pause.ts";
import type { RunState } from "../../core/run-state.ts";

/** What an agent does, in the order in which counts are shown. A paused agent counts as paused, whatever its state is. */
export const DOINGS = [
	"running",
	"thinking",
	"retrying",
	"queued",
	"waiting",
	"paused",
	"answered",
	"stopped",
	"failed",
] as const;
export type Doing = (typeof DOINGS)[number];
export type StateCounts = Readonly<Record<Doing, number>>;

function doingOf(agent: Agent): Doing {
	const { state } = agent;
	if (pauseOf(agent) !== undefined) return "paused";
	switch (state.is) {
		case "thinking":
			return state.retry === undefined ? "thinking" : "retrying";
		case "queued":
		case "running":
		case "waiting":
			return state.is;
		case "ended":
			return hasFailed(agent) ? "failed" : state.ending.by === "answer" ? "answered" : "stopped";
	}
}

const counted = new WeakMap<RunState, StateCounts>();

export function stateCounts(run: RunState): StateCounts {
	const known = counted.get(run);
	if (known !== undefined) return known;
	const counts = Object.fromEntries(DOINGS.map((doing) => [doing, 0])) as Record<Doing, number>;
	for (const agent of Object.values(run.agents)) counts[doingOf(agent)]++;
	counted.set(run, counts);
	return counts;
}
