import { expect, test } from "vitest";
import { NO_USAGE } from "../../../../src/core/model/usage.ts";
import {
	describeBudget,
	describeSpending,
	describeUsage,
	describeUsageFully,
	formatUsedTokens,
} from "../../../../src/view/words/usage.ts";

test("what a service has not counted is said, and never shown as nothing", () => {
	const known = { ...NO_USAGE, input: 1200, output: 80 };
	expect([NO_USAGE, { ...NO_USAGE, uncounted: 1 }, known, { ...known, uncounted: 2 }].map(formatUsedTokens)).toEqual([
		"0",
		"?",
		"1.3k",
		"1.3k+?",
	]);
	expect(describeUsage({ ...known, uncounted: 1 }, null)).toBe(
		"1.2k in / 80 out plus 1 call the service did not count, cost unknown",
	);
	expect(describeUsageFully({ ...NO_USAGE, uncounted: 2 }, null)).toBe(
		"0 in / 0 out plus 2 calls the service did not count, cost unknown",
	);
	expect(describeBudget({ limit: "max-tokens", most: 5000, spent: null })).toBe("? of 5.0k tokens");
});

test("what was spent is told with the number of turns, and nothing is said of nothing", () => {
	const usage = { input: 200, output: 80, cacheRead: 900, cacheWrite: 100 };
	expect(describeSpending({ turns: 3, usage, costUsd: 0.0123 })).toBe(
		"3 turns, 1.2k in (900 cached, 100 written to the cache) / 80 out, $0.0123",
	);
	expect(describeSpending({ turns: 1, usage: NO_USAGE, costUsd: 0 })).toBe("1 turn");
	expect(describeSpending({ turns: 0, usage: NO_USAGE, costUsd: null })).toBe("0 turns, 0 in / 0 out, cost unknown");
});
