/**
 * The ends that an event log could not take any more, from the small files: on a full disk there is room for those, and
 * where files may not grow (EFBIG) these are new ones.
 */
import { isOver, ROOT } from "../../core/model/agent.ts";
import type { RunFile } from "../../core/model/transcript.ts";
import type { RunEvent } from "../../core/run/run-event.ts";
import type { RunState } from "../../core/run/run-state.ts";
import { readableAgentFile } from "../read-run.ts";

type EndOfAgent = Extract<RunEvent, { event: "agent_ended" }>;
type EndOfRun = Extract<RunEvent, { event: "run_ended" }>;

/**
 * In the order of their times; nothing for a run whose event log has its end, or that has none. `state`: as the event
 * log tells it.
 */
export function unwrittenEnds(directory: string, state: RunState, file: RunFile): RunEvent[] {
	const run = state.ended === undefined ? endOfRun(file) : undefined;
	if (run === undefined) return [];
	const agents = Object.values(state.agents).flatMap((agent) => {
		if (isOver(agent)) return [];
		return endOfAgent(directory, agent.id) ?? (agent.id === ROOT ? endOfRoot(run) : []);
	});
	return [...agents.sort((a, b) => a.at - b.at), run];
}

function endOfAgent(directory: string, agent: string): EndOfAgent | undefined {
	const { endedAt: at, ending } = readableAgentFile(directory, agent) ?? {};
	return at === undefined || ending === undefined ? undefined : { event: "agent_ended", at, agent, ending };
}

/** The root's own end is its run's. */
function endOfRoot({ at, ending }: EndOfRun): EndOfAgent {
	return { event: "agent_ended", at, agent: ROOT, ending };
}

function endOfRun({ endedAt: at, ending, exitCode }: RunFile): EndOfRun | undefined {
	if (at === undefined || ending === undefined) return undefined;
	return { event: "run_ended", at, ending, exitCode: exitCode ?? 70, survivors: [] };
}
