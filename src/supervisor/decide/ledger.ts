/** What the supervisor knows of budgets beside the run's state. */
import type { AgentId } from "../../core/agent.ts";
import type { LimitReached } from "../../core/limits.ts";
import { factsOf, type PricedModel } from "../../models/catalogue.ts";
import type { PlannedCall } from "./budget.ts";
import type { Counted } from "./prompt-estimate.ts";
import { ReportCosts } from "./report-costs.ts";

export interface Ledger {
	/** The user's own. */
	readonly prices: readonly PricedModel[];
	/**
	 * What the service counted up to an agent's newest answer, how often its history had been compacted then, and what
	 * that call was estimated to add to the prompt before it.
	 */
	readonly answered: Map<AgentId, Required<Counted> & { compactions: number; added: number }>;
	/** Agents whose call was refused, and may be followed by a last one. */
	readonly refused: Map<AgentId, LimitReached>;
	/** What agents were told of their budgets. */
	readonly noticed: Set<string>;
	/** Calls that were ended from our side, until they have been charged. */
	readonly unsettled: PlannedCall[];
	/** What budgets keep for the last calls of agents that have begun. */
	readonly reports: ReportCosts;
}

export function newLedger(prices: readonly PricedModel[] = []): Ledger {
	const reports = new ReportCosts((model) => factsOf(model, prices));
	return { prices, answered: new Map(), refused: new Map(), noticed: new Set(), unsettled: [], reports };
}
