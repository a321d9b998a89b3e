/** What the supervisor remembers about budgets and costs beside the run's state. */

import type { LimitReached } from "../../../core/limits/limits.ts";
import type { AgentId } from "../../../core/model/agent.ts";
import { factsOf, type PricedModel } from "../../../models/catalogue.ts";
import type { Reservation } from "./budget.ts";
import type { PromptCache } from "./prompt-cache.ts";
import type { Counted } from "./prompt-estimate.ts";
import { ReportCosts } from "./report-costs.ts";

/** What the service counted for an agent, and what it has of its prompt in the cache. */
export interface Answered extends Counted {
	readonly tokens: number;
	/** How often its history had been compacted. */
	readonly compactions: number;
	/** Of the messages that the tokens were counted of; absent where no budget binds the agent. */
	readonly digest?: string;
	/** How many tokens the newest call was estimated to add to the prompt before it. */
	readonly added: number;
	/** The tokens of its longest answer. */
	readonly longestAnswer: number;
	readonly cache: PromptCache;
}

export interface Ledger {
	/** The user's own prices. */
	readonly prices: readonly PricedModel[];
	/** For each agent: what is known of its calls, up to its newest answer. */
	readonly answered: Map<AgentId, Answered>;
	/** Agents whose call a budget refused; each may make one last call. */
	readonly refused: Map<AgentId, LimitReached>;
	/** Agents that asked for a tool in a last call that did not forbid tools; their next one does. */
	readonly unreported: Set<AgentId>;
	/** Keys of the notices that agents were given about their budgets. */
	readonly noticed: Set<string>;
	/** What agents are to be told of their limits with their next answer. */
	readonly toTell: Map<AgentId, readonly string[]>;
	/** What is reserved for cancelled calls that have not been charged yet. */
	readonly unsettled: Reservation[];
	/** What budgets keep for the last calls of all agents that have begun. */
	readonly reports: ReportCosts;
}

export function newLedger(prices: readonly PricedModel[] = []): Ledger {
	const reports = new ReportCosts((model) => factsOf(model, prices));
	return {
		...{ prices, reports, answered: new Map(), refused: new Map() },
		...{ unreported: new Set(), noticed: new Set(), toTell: new Map(), unsettled: [] },
	};
}
