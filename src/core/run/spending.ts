/** What each agent and all below it have spent, and what the budgets that bind it leave. Pure. */

import type { Limits } from "../limits/limits.ts";
import { type Agent, type AgentId, withAncestors } from "../model/agent.ts";
import { countedTokens, roundDollars } from "../model/usage.ts";
import { branchOf } from "./agent-index.ts";
import type { RunState, Totals } from "./run-state.ts";

/** The totals of an agent and all below it. */
export function totalsWithin(run: RunState, agent: AgentId): Totals {
	const { agents, living, turns, usage, costUsd } = branchOf(run.agents, agent);
	return { agents, alive: living, turns, usage, costUsd };
}

/** From this share of a budget on, agents are told about it, and so is the person. */
export const BUDGET_NOTICE_SHARE = 0.8;

/** A limit on what may be spent, and what is spent of it. `spent` is null when a price or what a call used is not known. */
export interface Budget {
	/** The name of the flag. */
	readonly limit: "max-budget-usd" | "max-tokens";
	readonly most: number;
	readonly spent: number | null;
}

/** The budgets among an agent's own limits, from which everything below it spends, too. */
export function budgetsOf(limits: Limits, totals: Totals): Budget[] {
	const { maxBudgetUsd, maxTokens } = limits;
	return [
		...(maxBudgetUsd === undefined
			? []
			: [{ limit: "max-budget-usd", most: maxBudgetUsd, spent: totals.costUsd } as const]),
		...(maxTokens === undefined
			? []
			: [{ limit: "max-tokens", most: maxTokens, spent: countedTokens(totals.usage) } as const]),
	];
}

/** What the agent may still spend: the least rest of its own budgets and its ancestors'. Null when none is set or known. */
export function budgetLeft(run: RunState, { id }: Agent, limit: Budget["limit"]): number | null {
	const left = withAncestors(id).flatMap((above) => {
		const holder = run.agents[above];
		const isBound = holder?.limits.maxBudgetUsd !== undefined || holder?.limits.maxTokens !== undefined;
		const budgets = isBound && holder !== undefined ? budgetsOf(holder.limits, totalsWithin(run, above)) : [];
		return budgets.flatMap((budget) =>
			budget.limit === limit && budget.spent !== null ? [Math.max(0, roundDollars(budget.most - budget.spent))] : [],
		);
	});
	return left.length === 0 ? null : Math.min(...left);
}
