/** What agents have spent: each with all below it, and held against the budgets that bind it. Pure. */
import { type Agent, type AgentId, compareAgentIds, parentOf, withAncestors } from "./agent.ts";
import { branchOf } from "./agent-index.ts";
import { addDollars, roundDollars } from "./dollars.ts";
import type { Limits } from "./limits.ts";
import { type RunState, type Totals, totalsOf } from "./run-state.ts";
import { addUsage, totalTokens } from "./usage.ts";

/** Of the agent and all below it. */
export function totalsWithin(run: RunState, agent: AgentId): Totals {
	const { agents, living, turns, usage, costUsd } = branchOf(run.agents, agent);
	return { agents, alive: living, turns, usage, costUsd };
}

/** The same for every agent at once. */
export function subtreeTotals(run: RunState): ReadonlyMap<AgentId, Totals> {
	const agents = Object.values(run.agents).sort((a, b) => compareAgentIds(b.id, a.id));
	const totals = new Map(agents.map((agent): [AgentId, Totals] => [agent.id, totalsOf([agent])]));
	for (const { id } of agents) {
		const parent = parentOf(id) ?? "";
		const [own, above] = [totals.get(id), totals.get(parent)];
		if (own !== undefined && above !== undefined) totals.set(parent, addTotals(above, own));
	}
	return totals;
}

/** A bound on what may be spent, and how much of it is. `spent` is null when a price is not known. */
export interface Budget {
	/** As the flag is named. */
	readonly limit: "max-budget-usd" | "max-tokens";
	readonly most: number;
	readonly spent: number | null;
}

/** Of the limits of this agent itself: everything below it spends from them, too. */
export function budgetsOf(limits: Limits, totals: Totals): Budget[] {
	const { maxBudgetUsd, maxTokens } = limits;
	return [
		...(maxBudgetUsd === undefined
			? []
			: [{ limit: "max-budget-usd", most: maxBudgetUsd, spent: totals.costUsd } as const]),
		...(maxTokens === undefined
			? []
			: [{ limit: "max-tokens", most: maxTokens, spent: totalTokens(totals.usage) } as const]),
	];
}

/** What the agent may still spend: the least that is left to it or to one above it. Null when none is set, or not known. */
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

function addTotals(a: Totals, b: Totals): Totals {
	return {
		agents: a.agents + b.agents,
		alive: a.alive + b.alive,
		turns: a.turns + b.turns,
		usage: addUsage(a.usage, b.usage),
		costUsd: addDollars(a.costUsd, b.costUsd),
	};
}
