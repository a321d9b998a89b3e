import type { AgentId } from "../../core/model/agent.ts";
import type { SupervisorState } from "./supervisor-state.ts";

/**
 * The agents that are shown as queued and wait for a slot, in the order in which free slots are granted. A slot that is
 * lent does not go through the queue, and a bound on a branch makes those in it wait for longer. The run's state alone does not
 * tell this: an agent also asks for a slot when the children of its command have ended, long before it is queued.
 */
export function queuedAgents({ slots, run }: Pick<SupervisorState, "slots" | "run">): AgentId[] {
	return slots.waiting.flatMap(({ agent }) => (run.agents[agent]?.state.is === "queued" ? [agent] : []));
}
