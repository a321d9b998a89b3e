import { expect, test } from "vitest";
import {
	addUsage,
	countedTokens,
	countedUsage,
	NO_USAGE,
	totalTokens,
	uncountedOf,
} from "../../../../src/core/model/usage.ts";

test("usage adds up kind by kind, and all that went in or out counts", () => {
	const usage = { input: 1, output: 20, cacheRead: 300, cacheWrite: 4000 };
	expect(addUsage(usage, usage)).toEqual({ input: 2, output: 40, cacheRead: 600, cacheWrite: 8000 });
	expect(addUsage(NO_USAGE, usage)).toEqual(usage);
	expect(totalTokens(usage)).toBe(4321);
});

// Seen to fail (0 tokens, no cost) when what was not counted was taken for nothing.
test("a call of which the service counted no prompt is uncounted, and so is every sum with it", () => {
	const [counted, silent] = [
		{ ...NO_USAGE, cacheRead: 7 },
		{ ...NO_USAGE, output: 3 },
	];
	expect(countedUsage(counted)).toBe(counted);
	expect([countedUsage(silent).uncounted, countedUsage(NO_USAGE).uncounted]).toEqual([1, 1]);
	const sum = addUsage(counted, countedUsage(silent));
	expect([sum, countedTokens(sum), countedTokens(counted)]).toEqual([
		{ input: 0, output: 3, cacheRead: 7, cacheWrite: 0, uncounted: 1 },
		null,
		7,
	]);
	expect(addUsage(sum, uncountedOf(-1) as typeof sum)).not.toHaveProperty("uncounted");
});
