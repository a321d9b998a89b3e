/** What decisions are made from: the run, and what the supervisor knows beside it. */
import type { AgentId, Ending } from "../../core/agent.ts";
import type { AskKind, ModelRequest } from "../../core/model.ts";
import type { RunState } from "../../core/run-state.ts";
import type { PlannedCall } from "./budget.ts";
import type { Ledger } from "./ledger.ts";
import type { Slots } from "./slots.ts";

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

export interface SupervisorState {
	readonly run: RunState;
	readonly slots: Slots;
	readonly asks: Readonly<Record<AgentId, Ask>>;
	/** Agents that have made their last call. */
	readonly reported: readonly AgentId[];
	/** Agents that were told to stop, and the ending they were told: the first cause wins. */
	readonly stops: Readonly<Record<AgentId, Ending>>;
	readonly ledger: Ledger;
}
