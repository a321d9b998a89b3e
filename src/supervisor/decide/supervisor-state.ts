/** The state that decisions are made from: the run's state, and what the supervisor knows beside it. */

import type { LimitReached } from "../../core/limits/limits.ts";
import { type AgentId, type Ending, parentOf } from "../../core/model/agent.ts";
import type { AskKind, ModelRequest } from "../../core/model/model.ts";
import type { RunState } from "../../core/run/run-state.ts";
import { reduceInPlace } from "../../core/run/run-state.ts";
import type { RunEvent } from "../../core/schemas/run-event.ts";
import type { PricedModel } from "../../models/catalogue.ts";
import type { Reservation } from "./budget.ts";
import { type Ledger, newLedger } from "./budget.ts";
import type { DraftMessage, Effect } from "./inputs-and-effects.ts";
import { Slots, SubtreeCounts } from "./slots.ts";

/** An agent's ask for a model call, which waits for a slot or has its call under way. */
export interface Ask {
	readonly request: ModelRequest;
	readonly kind: AskKind;
	readonly isCalling: boolean;
	/** What is reserved in budgets for the call under way. */
	readonly reservation?: Reservation;
	/** Why the agent, which has a slot, waits: the budget that is reserved for other calls. */
	readonly waitsBecause?: string;
	/** The most tokens that the request's prompt can have. */
	readonly promptTokens?: number;
	/** Whether the request goes on from the agent's newest answer. */
	readonly goesOn?: boolean;
	/** The turn that the call goes on with, which another model has begun. */
	readonly turn?: number;
}

export interface OutOfTime {
	readonly reached: LimitReached;
	/** The agent whose limit it is. */
	readonly holder: AgentId;
}

/**
 * A run has one, which each decision changes in place: with copies, the cost of a turn would grow with the number of agents.
 * Code that reads it between decisions sees the run as it is then, and must not keep parts of it.
 */
export interface SupervisorState {
	run: RunState;
	/** When the newest start was refused that the event log tells of. */
	refusalToldAt: number;
	readonly slots: Slots;
	readonly asks: Map<AgentId, Ask>;
	/** How many turns wait to start at and below each agent. */
	readonly turnsWaiting: SubtreeCounts;
	/** Agents that have made their last call. */
	readonly reported: Set<AgentId>;
	/** Agents that have given their answer, and are about to end. */
	readonly answered: Set<AgentId>;
	/** Agents that a person has interrupted, until they listen. */
	readonly interrupted: Set<AgentId>;
	/** Agents that listened and were let go on, until the call begins that carries what was said to them. */
	readonly goingOn: Set<AgentId>;
	/** What agents that are paused hard are told when they go on. */
	readonly keptBack: Map<AgentId, DraftMessage>;
	/** Agents that were told to stop, with the ending that they were told. The first cause wins. */
	readonly stops: Map<AgentId, Ending>;
	/** Agents whose time is nearly over: they may only report. */
	readonly outOfTime: Map<AgentId, OutOfTime>;
	/** Agents that ask a person, and whose commands compute all the same. */
	readonly working: Set<AgentId>;
	/** Whether the time of those above a question stands still, as it was told last. */
	readonly timeHeld: Map<AgentId, boolean>;
	readonly ledger: Ledger;
	/** The models that take over from one whose service does not answer. */
	readonly fallbackModels: readonly string[];
	/** Agents that have changed since the scheduler last ran. */
	readonly touched: Set<AgentId>;
}

/** The state at the beginning of a supervisor. `run` is copied, and not changed. */
export function initialState(
	run: RunState,
	prices: readonly PricedModel[] = [],
	fallbackModels: readonly string[] = [],
): SupervisorState {
	const state: SupervisorState = {
		run: { ...run, agents: { ...run.agents } },
		refusalToldAt: 0,
		slots: new Slots(),
		asks: new Map(),
		turnsWaiting: new SubtreeCounts(),
		reported: new Set(),
		answered: new Set(),
		interrupted: new Set(),
		goingOn: new Set(),
		keptBack: new Map(),
		stops: new Map(),
		outOfTime: new Map(),
		working: new Set(),
		timeHeld: new Map(),
		ledger: newLedger(prices),
		fallbackModels,
		touched: new Set(),
	};
	for (const agent of Object.keys(run.agents)) touch(state, agent);
	return state;
}

/** Marks the agent as changed, and its parent, whose count of living children may be another now. */
export function touch({ run, reported, ledger, touched }: SupervisorState, agent: AgentId): void {
	touched.add(agent);
	const parent = parentOf(agent);
	if (parent !== undefined) touched.add(parent);
	ledger.reports.count(run, agent, reported.has(agent));
}

/** A decision in the making. Each event that is emitted changes the state at once. */
export interface Decision {
	readonly state: SupervisorState;
	/** When it is made: the time of its events. */
	readonly now: number;
	readonly events: RunEvent[];
	readonly effects: Effect[];
}

type WithoutTime<E> = E extends RunEvent ? Omit<E, "at"> : never;

/** Adds the event to the decision and applies it to the state. */
export function emit({ state, now: at, events }: Decision, undated: WithoutTime<RunEvent>): void {
	const { event: name, ...facts } = undated;
	const event = { event: name, at, ...facts } as RunEvent;
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
export function refuseAsk(decision: Decision, agent: AgentId, { limit, reason }: LimitReached): void {
	setAsk(decision, agent, undefined);
	emit(decision, { event: "turn_refused", agent, limit, reason });
	decision.effects.push({ do: "tell", agent, message: { say: "ask_refused", limit, reason } });
}
