/** Usage and budgets as people read them. An unknown cost is called unknown, never shown as nothing. */

import { totalTokens, type Usage } from "../../core/model/usage.ts";
import type { Budget } from "../../core/run/spending.ts";
import { counted, formatCost, formatDollars, formatTokens } from "../../text/numbers.ts";

/** `1.2k in / 80 out, $0.0123`: tokens that went in count alike, whether the cache had them or not. */
export function describeUsage(usage: Usage, costUsd: number | null): string {
	const tokens = `${formatTokens(tokensIn(usage))} in / ${formatTokens(usage.output)} out`;
	return withCost(`${tokens}${uncountedWords(usage)}`, costUsd);
}

/** `1.2k in (900 from the cache, 100 into it) / 80 out, $0.0123`. */
export function describeUsageFully(usage: Usage, costUsd: number | null): string {
	const { cacheRead, cacheWrite, output } = usage;
	const cache = [
		...(cacheRead > 0 ? [`${formatTokens(cacheRead)} cached`] : []),
		...(cacheWrite > 0 ? [`${formatTokens(cacheWrite)} written to the cache`] : []),
	];
	const of = cache.length === 0 ? "" : ` (${cache.join(", ")})`;
	const tokens = `${formatTokens(tokensIn(usage))} in${of} / ${formatTokens(output)} out`;
	return withCost(`${tokens}${uncountedWords(usage)}`, costUsd);
}

/** `3 turns, 1.2k in (900 from the cache) / 80 out, $0.0123`; of calls that used nothing only their number. */
export function describeSpending({ turns, usage, costUsd }: Spent): string {
	const calls = counted(turns, "turn");
	return totalTokens(usage) === 0 && costUsd === 0 ? calls : `${calls}, ${describeUsageFully(usage, costUsd)}`;
}

interface Spent {
	readonly turns: number;
	readonly usage: Usage;
	readonly costUsd: number | null;
}

/** `1.2k`; `?` and `1.2k+?` when the service has not counted all calls. */
export function formatUsedTokens(usage: Usage): string {
	const tokens = totalTokens(usage);
	if (usage.uncounted === undefined) return formatTokens(tokens);
	return tokens === 0 ? "?" : `${formatTokens(tokens)}+?`;
}

function uncountedWords({ uncounted }: Usage): string {
	return uncounted === undefined ? "" : ` plus ${counted(uncounted, "call")} the service did not count`;
}

/** `cost unknown`; undefined when nothing was spent. */
function describeCost(costUsd: number | null): string | undefined {
	if (costUsd === 0) return undefined;
	return costUsd === null ? "cost unknown" : formatCost(costUsd);
}

/** `$0.42 of $2`, `1.2M of 5.0M tokens`, `? of $2`. */
export function describeBudget({ limit, most, spent }: Budget): string {
	if (limit === "max-tokens") return `${spent === null ? "?" : formatTokens(spent)} of ${formatTokens(most)} tokens`;
	return `${spent === null ? "?" : formatDollars(spent)} of ${formatDollars(most)}`;
}

function tokensIn(usage: Usage): number {
	return totalTokens(usage) - usage.output;
}

function withCost(tokens: string, costUsd: number | null): string {
	const cost = describeCost(costUsd);
	return cost === undefined ? tokens : `${tokens}, ${cost}`;
}
