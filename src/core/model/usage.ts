/** Tokens that model calls have used. */
import type { Usage } from "../schemas/usage.ts";

export type { Usage } from "../schemas/usage.ts";

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
