/** How a decision grows: what is emitted changes its state at once. */
import type { AgentId } from "../../core/agent.ts";
import type { LimitReached } from "../../core/limits.ts";
import type { RunEvent } from "../../core/run-event.ts";
import { reduce } from "../../core/run-state.ts";
import type { Effect } from "./effect.ts";
import type { Ask, SupervisorState } from "./supervisor-state.ts";

export interface Decision {
	state: SupervisorState;
	events: RunEvent[];
	effects: Effect[];
}

export function emit(decision: Decision, event: RunEvent): void {
	decision.events.push(event);
	decision.state = { ...decision.state, run: reduce(decision.state.run, event) };
}

export function setAsk(decision: Decision, agent: AgentId, ask: Ask | undefined): void {
	const { [agent]: _, ...others } = decision.state.asks;
	decision.state = { ...decision.state, asks: ask === undefined ? others : { ...others, [agent]: ask } };
}

/** The agent is told, and may make one last call. */
export function refuseAsk(decision: Decision, agent: AgentId, { limit, reason }: LimitReached, now: number): void {
	setAsk(decision, agent, undefined);
	emit(decision, { event: "turn_refused", at: now, agent, limit, reason });
	decision.effects.push({ do: "tell", agent, message: { say: "ask_refused", limit, reason } });
}
