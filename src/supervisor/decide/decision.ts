/** A decision in the making. Each event that is emitted changes the state at once. */

import type { LimitReached } from "../../core/limits/limits.ts";
import type { AgentId } from "../../core/model/agent.ts";
import type { RunEvent } from "../../core/run/run-event.ts";
import { reduceInPlace } from "../../core/run/run-state.ts";
import type { Effect } from "./effect.ts";
import { type Ask, type SupervisorState, touch } from "./supervisor-state.ts";

export interface Decision {
	readonly state: SupervisorState;
	readonly events: RunEvent[];
	readonly effects: Effect[];
}

/** Adds the event to the decision and applies it to the state. */
export function emit({ state, events }: Decision, event: RunEvent): void {
	events.push(event);
	state.run = reduceInPlace(state.run, event);
	if ("agent" in event) touch(state, event.agent);
}

/** Replaces the agent's ask; undefined: it has none. */
export function setAsk({ state }: Decision, agent: AgentId, ask: Ask | undefined): void {
	if (waitsWithTurn(state.asks.get(agent))) state.turnsWaiting.add(agent, -1);
	state.asks.delete(agent);
	if (ask !== undefined) state.asks.set(agent, ask);
	if (waitsWithTurn(ask)) state.turnsWaiting.add(agent, 1);
	touch(state, agent);
}

function waitsWithTurn(ask: Ask | undefined): boolean {
	return ask?.isCalling === false && ask.kind === "turn";
}

/** Sets whether the agent has made its last call. */
export function setReported({ state }: Decision, agent: AgentId, hasReported: boolean): void {
	if (hasReported) state.reported.add(agent);
	else state.reported.delete(agent);
	touch(state, agent);
}

/** Refuses the agent's ask and tells it so; it may make one last call. */
export function refuseAsk(decision: Decision, agent: AgentId, { limit, reason }: LimitReached, now: number): void {
	setAsk(decision, agent, undefined);
	emit(decision, { event: "turn_refused", at: now, agent, limit, reason });
	decision.effects.push({ do: "tell", agent, message: { say: "ask_refused", limit, reason } });
}
