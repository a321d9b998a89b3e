/** An agent is one process in a run. What is known of it while it lives and afterwards. */
import type { Agent } from "../schemas/agent.ts";

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
export type { Agent, AgentState, RunningCommand } from "../schemas/agent.ts";
export type { Ending } from "../schemas/ending.ts";

export function isOver(agent: Agent): agent is Agent & { state: { is: "ended" } } {
	return agent.state.is === "ended";
}

/** The agent ended without an answer, and not because somebody stopped it. */
export function hasFailed(agent: Agent): boolean {
	return isOver(agent) && agent.state.ending.by !== "answer" && agent.state.ending.by !== "stopped";
}
