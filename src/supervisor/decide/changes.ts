/** What a person changes of the root of a conversation: its model, its effort, its limits, which only a person widens. Pure. */

import { defined } from "../../core/defined.ts";
import type { AgentId } from "../../core/model/agent.ts";
import { type Decision, emit, setReported } from "./decision.ts";
import type { Input } from "./input.ts";
import { isListening, isTalkedWith, letGoOn } from "./listening.ts";
import type { SupervisorState } from "./supervisor-state.ts";

/** Why the agent cannot be asked for this; undefined when it can. */
export function talkRefusal({ run, stops, answered }: SupervisorState, id: AgentId): string | undefined {
	const agent = run.agents[id];
	if (agent === undefined) return `this run has no agent ${id}; see agent ps`;
	if (!isTalkedWith(run, id)) return `agent ${id} is not the root of a conversation`;
	if (agent.state.is === "ended" || stops.has(id) || answered.has(id)) return `agent ${id} is ending`;
	return undefined;
}

/** What was reached of the limits before is looked at anew. */
export function change(decision: Decision, input: Extract<Input, { is: "change_asked" }>, now: number): void {
	const { state, effects } = decision;
	const { agent, model, effort, limits, windowTokens } = input;
	const isOtherModel = model !== undefined && model !== state.run.agents[agent]?.model;
	emit(decision, { event: "agent_changed", at: now, agent, ...defined({ model, effort, limits, windowTokens }) });
	state.ledger.refused.delete(agent);
	if (isOtherModel) state.ledger.answered.delete(agent); // what was counted, and what is in a cache, was the other model's
	setReported(decision, agent, false);
	state.slots.boundsChanged();
	effects.push({ do: "change", agent, ...(isOtherModel && { isOtherModel }) });
	letGoOn(decision, agent);
}

/** Why the agent's older rounds cannot be replaced now; undefined when they can. */
export function compactRefusal(state: SupervisorState, id: AgentId): string | undefined {
	const isAtRest = isListening(state.run.agents[id]) && !state.goingOn.has(id);
	return (
		talkRefusal(state, id) ?? (isAtRest ? undefined : `agent ${id} is working: interrupt it, or wait until it is idle`)
	);
}

/** The agent is not let go on before it listens again. */
export function compact({ state, effects }: Decision, agent: AgentId): void {
	state.goingOn.add(agent);
	effects.push({ do: "tell", agent, message: { say: "compact" } });
}
