/** What the supervisor knows of budgets beside the run's state. */
import type { AgentId } from "../../core/agent.ts";
import type { LimitReached } from "../../core/limits.ts";
import type { PricedModel } from "../../models/prices.ts";
import type { PlannedCall } from "./budget.ts";
import type { Counted } from "./prompt-estimate.ts";

export interface Ledger {
	/** The user's own. */
	readonly prices: readonly PricedModel[];
	/**
	 * What the service counted up to an agent's newest answer, how often its history had been compacted then, and what
	 * that call was estimated to add to the prompt before it.
	 */
	readonly answered: Readonly<Record<AgentId, Required<Counted> & { compactions: number; added: number }>>;
	/** Agents whose call was refused, and may be followed by a last one. */
	readonly refused: Readonly<Record<AgentId, LimitReached>>;
	/** What agents were told of their budgets. */
	readonly noticed: readonly string[];
	/** Calls that were ended from our side, until they have been charged. */
	readonly unsettled: readonly PlannedCall[];
}

export function newLedger(prices: readonly PricedModel[] = []): Ledger {
	return { prices, answered: {}, refused: {}, noticed: [], unsettled: [] };
}
