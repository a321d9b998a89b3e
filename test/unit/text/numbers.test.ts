import { expect, test } from "vitest";
import { DEFAULT_LIMITS, limitsOfChild } from "../../../src/core/limits/limits.ts";
import { formatAge, formatDuration, formatElapsed, formatWait } from "../../../src/text/durations.ts";
import { describeLimits, describeSetLimits, formatDefaultLimit, formatLimit } from "../../../src/text/limits.ts";
import { formatCost, formatDollars, formatTokens, ordinal } from "../../../src/text/numbers.ts";

/** Each value with its text. */
test.each<[string, (value: number) => string, string]>([
	["tokens", formatTokens, "0 0, 999 999, 1000 1.0k, 12345 12.3k, 999949 999.9k, 999950 1.0M, 1234567 1.2M"],
	["dollars that were spent", formatCost, "0 -, 0.00001 <$0.0001, 0.01234 $0.0123, 12.345 $12.35"],
	["dollars of a budget", formatDollars, "2 $2, 0.42 $0.42, 1.5 $1.50, 0.005 $0.005, 0 $0"],
	["a duration below a minute", formatDuration, "-5 0ms, 0 0ms, 850.9 850ms, 999 999ms, 1000 1s, 12999 12s, 59999 59s"],
	["a duration", formatDuration, "60000 1m00s, 185000 3m05s, 3599999 59m59s, 3720000 1h02m, 360000000 100h00m"],
	["what goes on", formatElapsed, "-5 0s, 999 0s, 1000 1s, 185000 3m05s"],
	["a wait", formatWait, "-3600000 0_s, 0 0_s, 1 1_s, 59001 1m00s"],
	[
		"an age",
		formatAge,
		"-5 0s, 59999 59s, 60000 1m, 3599999 59m, 3600000 1h, 169200000 47h, 172800000 2d, 34560000000 400d",
	],
	[
		"an ordinal",
		ordinal,
		"1 1st, 2 2nd, 3 3rd, 4 4th, 5 5th, 11 11th, 12 12th, 13 13th, 20 20th, 21 21st, 102 102nd, 111 111th",
	],
])("%s: %s", (_, format, values) => {
	const read = values.split(", ").map((each) => [each, `${each.split(" ")[0]} ${format(Number(each.split(" ")[0]))}`]);
	for (const [each, told] of read) expect(told?.replace(/ s$/, "_s")).toBe(each);
});

test("a cost that is not known is a question mark", () => {
	expect(formatCost(null)).toBe("?");
});

test("a limit is shown in its unit", () => {
	expect([formatLimit("count", 64), formatLimit("time", 5_400_000), formatLimit("usd", 0.5)]).toEqual([
		"64",
		"1h30m",
		"$0.50",
	]);
});

test("a default is shown as one would type it, and where there is none that is said", () => {
	expect([
		formatDefaultLimit("count", 64),
		formatDefaultLimit("time", 3_600_000),
		formatDefaultLimit("time", 300_000),
		formatDefaultLimit("usd", undefined),
	]).toEqual(["64", "1h", "5m", "no limit"]);
});

test("of the limits in force only those are told that somebody has set, at each level of the tree", () => {
	const set = { ...DEFAULT_LIMITS, maxTurns: 20, maxBudgetUsd: 2 };
	expect(describeSetLimits(DEFAULT_LIMITS, 0)).toBe("");
	expect(describeSetLimits(set, 0)).toBe("max-turns 20, max-budget-usd $2");
	const child = limitsOfChild(set, {});
	expect(describeSetLimits(child, 1)).toBe("max-turns 20, max-budget-usd $2");
	expect(describeSetLimits({ ...child, maxDepth: 0 }, 1)).toContain("max-depth 0, ");
	expect(describeLimits(limitsOfChild(DEFAULT_LIMITS, {}))).toBe(
		"max-depth 2, max-agents 64, max-children 16, max-concurrency 8, max-turns 50, max-total-turns 1000, max-time 1h, max-processes 2000",
	);
});
