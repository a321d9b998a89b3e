/** What an agent does, in one word: what counts of agents are counts of. Pure. */
import { type Agent, hasFailed } from "./model/agent.ts";
import { pauseOf } from "./run/pause.ts";

/** In the order in which counts are shown. One that asks a person counts as that, and else a paused one as paused, whatever its state is. */
export const DOINGS = [
	"asking",
	"running",
	"thinking",
	"retrying",
	"queued",
	"waiting",
	"listening",
	"paused",
	"answered",
	"stopped",
	"failed",
] as const;
export type Doing = (typeof DOINGS)[number];
export type DoingCounts = Readonly<Record<Doing, number>>;

export function doingOf(agent: Agent): Doing {
	const { state } = agent;
	if (agent.asking !== undefined && state.is !== "ended") return "asking";
	if (pauseOf(agent) !== undefined) return "paused";
	switch (state.is) {
		case "thinking":
			return state.retry === undefined ? "thinking" : "retrying";
		case "queued":
		case "running":
		case "waiting":
		case "listening":
			return state.is;
		case "ended":
			return hasFailed(agent) ? "failed" : state.ending.by === "answer" ? "answered" : "stopped";
	}
}

export function countDoings(agents: Iterable<Agent>): DoingCounts {
	const counts = Object.fromEntries(DOINGS.map((doing) => [doing, 0])) as Record<Doing, number>;
	for (const agent of agents) counts[doingOf(agent)]++;
	return counts;
}
