import { expect, test } from "vitest";
import { NO_USAGE } from "../../../../src/core/model/usage.ts";
import { cacheAfter, isProven, type PromptCache, prefixCachedAt } from "../../../../src/supervisor/decide/call-cost.ts";

const MINUTE = 60_000;
const usage = (cacheRead: number, cacheWrite: number) => ({ ...NO_USAGE, input: 5, output: 40, cacheRead, cacheWrite });
/** The cache after calls that start at these minutes. */
function after(...calls: [minute: number, cacheRead: number, cacheWrite: number][]): PromptCache | undefined {
	return calls.reduce<PromptCache | undefined>(
		(cache, [minute, read, write]) => cacheAfter(cache, usage(read, write), minute * MINUTE),
		undefined,
	);
}

test("what was read and written is cached for the next call, for less than five minutes from the start of its own", () => {
	const cache = after([0, 0, 3000], [1, 3000, 500]);
	expect(prefixCachedAt(cache, 2 * MINUTE)).toEqual({ tokens: 3500, until: 5.75 * MINUTE });
	expect(prefixCachedAt(cache, 5.75 * MINUTE)).toBeUndefined();
	expect(prefixCachedAt(undefined, 0)).toBeUndefined();
});

test("after a miss nothing counts as cached until a call has read what the one before it wrote", () => {
	const missed = after([0, 0, 3000], [1, 0, 3500]);
	expect([prefixCachedAt(missed, 2 * MINUTE), isProven(missed)]).toEqual([undefined, false]);
	expect(prefixCachedAt(after([0, 0, 3000], [1, 0, 3500], [2, 0, 4000]), 3 * MINUTE)).toBeUndefined();
	expect(prefixCachedAt(after([0, 0, 3000], [1, 0, 3500], [2, 3500, 500]), 3 * MINUTE)?.tokens).toBe(4000);
	expect(isProven(after([0, 0, 3000], [1, 1500, 2000]))).toBe(false); // half of it is a miss, too
});

test("a cache that has expired is no miss, and a service that reports none has none", () => {
	const expired = after([0, 0, 3000], [9, 0, 3500]);
	expect([prefixCachedAt(expired, 10 * MINUTE)?.tokens, isProven(expired)]).toEqual([3500, true]);
	const none = after([0, 0, 0], [1, 0, 0]);
	expect([prefixCachedAt(none, MINUTE), isProven(none)]).toEqual([undefined, false]);
});
