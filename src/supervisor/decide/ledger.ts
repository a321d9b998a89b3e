/** What the supervisor remembers about budgets and costs beside the run's state. */
import type { AgentId } from "../../core/agent.ts";
import type { LimitReached } from "../../core/limits.ts";
import { factsOf, type PricedModel } from "../../models/catalogue.ts";
import type { Reservation } from "./budget.ts";
import type { Counted } from "./prompt-estimate.ts";
import { ReportCosts } from "./report-costs.ts";

export interface Ledger {
	/** The user's own prices. */
	readonly prices: readonly PricedModel[];
	/**
	 * For each agent: what the service counted up to its newest answer, how often its history had been compacted then, and
	 * how many tokens that call was estimated to add to the prompt before it.
	 */
	readonly answered: Map<AgentId, Required<Counted> & { compactions: number; added: number }>;
	/** Agents whose call a budget refused; each may make one last call. */
	readonly refused: Map<AgentId, LimitReached>;
	/** Keys of the notices that agents were given about their budgets. */
	readonly noticed: Set<string>;
	/** What is reserved for cancelled calls that have not been charged yet. */
	readonly unsettled: Reservation[];
	/** What budgets keep for the last calls of all agents that have begun. */
	readonly reports: ReportCosts;
}

export function newLedger(prices: readonly PricedModel[] = []): Ledger {
	const reports = new ReportCosts((model) => factsOf(model, prices));
	return { prices, answered: new Map(), refused: new Map(), noticed: new Set(), unsettled: [], reports };
}
