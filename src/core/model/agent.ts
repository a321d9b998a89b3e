/** An agent is one process in a run. What is known of it while it lives and afterwards. */
export {
	type AgentId,
	compareAgentIds,
	depthOf,
	isAgentId,
	isWithin,
	parentOf,
	ROOT,
	withAncestors,
} from "../agent-id.ts";
export type { Ending } from "../schemas/command.ts";
export type { Agent, AgentState, RunningCommand } from "../schemas/run-state.ts";

import type { Agent } from "../schemas/run-state.ts";

export function isOver(agent: Agent): agent is Agent & { state: { is: "ended" } } {
	return agent.state.is === "ended";
}

/** The agent ended without an answer, and not because somebody stopped it. */
export function hasFailed(agent: Agent): boolean {
	return isOver(agent) && agent.state.ending.by !== "answer" && agent.state.ending.by !== "stopped";
}

/** Stands where a process is named that is not there. No process has such a start time, and nobody ends the first of all processes. */
export const NO_PROCESS = { pid: 1, startTime: "" } as const;
