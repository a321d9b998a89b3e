/** Usage and budgets as people read them. An unknown cost is called unknown, never shown as nothing. */

import type { Budget } from "../core/spending.ts";
import { totalTokens, type Usage } from "../core/usage.ts";
import { formatCost, formatDollars } from "./money.ts";
import { formatTokens } from "./numbers.ts";

/** `1.2k in / 80 out, $0.0123`: tokens that went in count alike, whether the cache had them or not. */
export function describeUsage(usage: Usage, costUsd: number | null): string {
	return withCost(`${formatTokens(tokensIn(usage))} in / ${formatTokens(usage.output)} out`, costUsd);
}

/** `1.2k in (900 from the cache, 100 into it) / 80 out, $0.0123`. */
export function describeUsageFully(usage: Usage, costUsd: number | null): string {
	const { cacheRead, cacheWrite, output } = usage;
	const cache = [
		...(cacheRead > 0 ? [`${formatTokens(cacheRead)} from the cache`] : []),
		...(cacheWrite > 0 ? [`${formatTokens(cacheWrite)} into ${cacheRead > 0 ? "it" : "the cache"}`] : []),
	];
	const of = cache.length === 0 ? "" : ` (${cache.join(", ")})`;
	return withCost(`${formatTokens(tokensIn(usage))} in${of} / ${formatTokens(output)} out`, costUsd);
}

/** `cost unknown`; undefined when nothing was spent. */
export function describeCost(costUsd: number | null): string | undefined {
	if (costUsd === 0) return undefined;
	return costUsd === null ? "cost unknown" : formatCost(costUsd);
}

/** `$0.42 of $2`, `1.2M of 5.0M tokens`, `? of $2`. */
export function describeBudget({ limit, most, spent }: Budget): string {
	if (limit === "max-tokens") return `${formatTokens(spent ?? 0)} of ${formatTokens(most)} tokens`;
	return `${spent === null ? "?" : formatDollars(spent)} of ${formatDollars(most)}`;
}

function tokensIn(usage: Usage): number {
	return totalTokens(usage) - usage.output;
}

function withCost(tokens: string, costUsd: number | null): string {
	const cost = describeCost(costUsd);
	return cost === undefined ? tokens : `${tokens}, ${cost}`;
}
