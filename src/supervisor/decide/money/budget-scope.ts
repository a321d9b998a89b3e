/** The budgets that bind an agent: which agent each was set on, and what has been spent of it. */

import { type LimitReached, type Limits, limitReached } from "../../../core/limits/limits.ts";
import { type AgentId, parentOf, withAncestors } from "../../../core/model/agent.ts";
import { countedTokens } from "../../../core/model/usage.ts";
import type { RunState } from "../../../core/run/run-state.ts";
import { type Budget, totalsWithin } from "../../../core/run/spending.ts";

/** A budget that binds an agent, with what has been spent of it. `most` and `spent`: dollars or tokens, by the limit. */
export interface BudgetScope {
	/** The agent that the budget was set on. */
	readonly holder: AgentId;
	readonly limit: BudgetLimit;
	readonly most: number;
	readonly spent: number;
}

/** True when a budget, in dollars or tokens, binds the agent. */
export function isBudgeted(run: RunState, id: AgentId): boolean {
	const limits = run.agents[id]?.limits;
	return limits?.maxBudgetUsd !== undefined || limits?.maxTokens !== undefined;
}

export type BudgetLimit = Budget["limit"];

const KEYS = { "max-budget-usd": "maxBudgetUsd", "max-tokens": "maxTokens" } as const satisfies Record<
	BudgetLimit,
	keyof Limits
>;

/** The budgets that bind the agent, that of the highest agent first. A budget that is passed on unchanged is listed once, for the agent it was set on. */
export function budgetScopesOf(run: RunState, id: AgentId): BudgetScope[] {
	return withAncestors(id)
		.toReversed()
		.flatMap((holder) =>
			(["max-budget-usd", "max-tokens"] as const).flatMap((limit) => {
				const most = run.agents[holder]?.limits[KEYS[limit]];
				if (most === undefined || run.agents[parentOf(holder) ?? ""]?.limits[KEYS[limit]] === most) return [];
				return [{ holder, limit, most, spent: spentIn(run, holder, limit) }];
			}),
		);
}

/** What the agent and all below it have spent; an unknown cost or number of tokens counts as infinite. */
function spentIn(run: RunState, holder: AgentId, limit: BudgetLimit): number {
	const { costUsd, usage } = totalsWithin(run, holder);
	return (limit === "max-tokens" ? countedTokens(usage) : costUsd) ?? Number.POSITIVE_INFINITY;
}

/** The highest budget in dollars that binds the agent, in words; undefined when none does. */
export function dollarsBinding(run: RunState, id: AgentId): string | undefined {
	const scope = budgetScopesOf(run, id).find(({ limit }) => limit === "max-budget-usd");
	return scope === undefined ? undefined : named(scope);
}

/** The refusal of a call for which the budget has no room. `call`: what that may cost; `kept`: what is kept for reports of others. */
export function budgetReached(scope: BudgetScope, needed?: { call: number; kept: number }): LimitReached {
	const { limit, most, holder, spent } = scope;
	const kept =
		needed === undefined || needed.kept === 0 ? "" : ` plus ${amount(scope, needed.kept)} reserved for reports`;
	const call = needed && `${amount(scope, needed.call)}${kept}`;
	return limitReached(KEYS[limit], { most, holder, used: amount(scope, spent), call });
}

/** The budget in words: `max-budget-usd 0.2 from agent 1 down`. */
export function named({ limit, most, holder }: BudgetScope): string {
	return `${limit} ${most} from agent ${holder} down`;
}

/** An amount of the budget in words: `1200 tokens`, `$0.0040`. */
export function amount({ limit }: BudgetScope, used: number): string {
	if (limit === "max-tokens") return Number.isFinite(used) ? `${used} tokens` : "an unknown number of tokens";
	return Number.isFinite(used) ? `$${used.toFixed(4)}` : "an unknown cost";
}
