/** What decisions are made from: the run, and what the supervisor knows beside it. */
import { type AgentId, type Ending, parentOf } from "../../core/agent.ts";
import type { AskKind, ModelRequest } from "../../core/model.ts";
import type { RunState } from "../../core/run-state.ts";
import type { PricedModel } from "../../models/catalogue.ts";
import type { PlannedCall } from "./budget.ts";
import { type Ledger, newLedger } from "./ledger.ts";
import { Slots } from "./slots.ts";
import { SubtreeCounts } from "./subtree-counts.ts";

/** An ask that waits for a slot, or whose call is under way. */
export interface Ask {
	readonly request: ModelRequest;
	readonly kind: AskKind;
	readonly isCalling: boolean;
	/** What budgets have set aside for the call under way. */
	readonly planned?: PlannedCall;
	/** It has a slot, and waits for what budgets have set aside for others. */
	readonly waitsBecause?: string;
	/** Of its request, at most. */
	readonly promptTokens?: number;
}

/**
 * There is one for a run, and each decision changes it in place: a copy would make every turn cost the more, the more
 * agents there are. Whoever reads it between decisions sees the run as it is then, and keeps no part of it.
 */
export interface SupervisorState {
	run: RunState;
	readonly slots: Slots;
	readonly asks: Map<AgentId, Ask>;
	/** Turns that were asked for and wait to start. */
	readonly turnsWaiting: SubtreeCounts;
	/** Agents that have made their last call. */
	readonly reported: Set<AgentId>;
	/** Agents that were told to stop, and the ending they were told: the first cause wins. */
	readonly stops: Map<AgentId, Ending>;
	readonly ledger: Ledger;
	/** Agents that something has changed for since slots were last given out. */
	readonly touched: Set<AgentId>;
}

/** `run` is copied, and stays as it is. */
export function initialState(run: RunState, prices: readonly PricedModel[] = []): SupervisorState {
	const state: SupervisorState = {
		run: { ...run, agents: { ...run.agents } },
		slots: new Slots(),
		asks: new Map(),
		turnsWaiting: new SubtreeCounts(),
		reported: new Set(),
		stops: new Map(),
		ledger: newLedger(prices),
		touched: new Set(),
	};
	for (const agent of Object.keys(run.agents)) touch(state, agent);
	return state;
}

/** Says that the agent has changed, and perhaps what its parent has of it: how many of its children live. */
export function touch({ run, reported, ledger, touched }: SupervisorState, agent: AgentId): void {
	touched.add(agent);
	const parent = parentOf(agent);
	if (parent !== undefined) touched.add(parent);
	ledger.reports.count(run, agent, reported.has(agent));
}
