/** Tokens that model calls have used. */
export type { Usage } from "../schemas/values.ts";

import type { Usage } from "../schemas/values.ts";

export const NO_USAGE: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

export function addUsage(a: Usage, b: Usage): Usage {
	return {
		input: a.input + b.input,
		output: a.output + b.output,
		cacheRead: a.cacheRead + b.cacheRead,
		cacheWrite: a.cacheWrite + b.cacheWrite,
		...uncountedOf((a.uncounted ?? 0) + (b.uncounted ?? 0)),
	};
}

export function uncountedOf(calls: number): Pick<Usage, "uncounted"> {
	return calls === 0 ? {} : { uncounted: calls };
}

/** What a service counted for an answer. No prompt is empty, so with no tokens of one it has counted nothing. */
export function countedUsage(usage: Usage): Usage {
	return totalTokens(usage) === usage.output ? { ...usage, uncounted: 1 } : usage;
}

/** All tokens: input, however it was charged, and output. */
export function totalTokens(usage: Usage): number {
	return usage.input + usage.cacheRead + usage.cacheWrite + usage.output;
}

/** All tokens; null when the service has not counted those of each call. */
export function countedTokens(usage: Usage): number | null {
	return usage.uncounted === undefined ? totalTokens(usage) : null;
}

/**
 * Money. What a call cost, and every sum of that, is a whole number of billionths of a dollar: so sums of the same costs
 * are equal in whatever order they are made, and no noise of floating point is written anywhere. Null: no price is known.
 */
const PARTS = 1e9; // a token costs at least some hundredths of a millionth; sums are exact up to nine million dollars

export function roundDollars(usd: number): number {
	if (Math.abs(usd) >= Number.MAX_SAFE_INTEGER) return usd; // whole anyway, and times PARTS it may be infinite
	return Math.round(usd * PARTS) / PARTS;
}

export function addDollars(a: number | null, b: number | null): number | null {
	return a === null || b === null ? null : roundDollars(a + b);
}
