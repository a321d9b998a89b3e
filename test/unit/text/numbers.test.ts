import { expect, test } from "vitest";
import { DEFAULT_LIMITS, limitsOfChild } from "../../../src/core/limits/limits.ts";
import { formatAge, formatDuration, formatElapsed, formatWait } from "../../../src/text/durations.ts";
import { describeLimits, describeSetLimits, formatDefaultLimit, formatLimit } from "../../../src/text/limits.ts";
import { formatCost, formatDollars, formatTokens, ordinal } from "../../../src/text/numbers.ts";

test.each([
	[0, "0"],
	[999, "999"],
	[1000, "1.0k"],
	[12_345, "12.3k"],
	[999_949, "999.9k"],
	[999_950, "1.0M"],
	[1_234_567, "1.2M"],
])("%d tokens read %s", (tokens, text) => expect(formatTokens(tokens)).toBe(text));

test("an ordinal is written as it is spoken", () => {
	expect([1, 2, 3, 4, 5, 11, 12, 13, 20, 21, 102, 111].map(ordinal).join(" ")).toBe(
		"1st 2nd 3rd 4th 5th 11th 12th 13th 20th 21st 102nd 111th",
	);
});

test.each([
	[null, "?"],
	[0, "-"],
	[0.00001, "<$0.0001"],
	[0.01234, "$0.0123"],
	[12.345, "$12.35"],
])("a cost of %s reads %s", (usd, text) => expect(formatCost(usd)).toBe(text));

test.each([
	[2, "$2"],
	[0.42, "$0.42"],
	[1.5, "$1.50"],
	[0.005, "$0.005"],
	[0, "$0"],
])("the budget %d reads %s", (usd, text) => expect(formatDollars(usd)).toBe(text));

test.each([
	[-5, "0ms"],
	[0, "0ms"],
	[850.9, "850ms"],
	[999, "999ms"],
	[1000, "1s"],
	[12_999, "12s"],
	[59_999, "59s"],
	[60_000, "1m00s"],
	[185_000, "3m05s"],
	[3_599_999, "59m59s"],
	[3_720_000, "1h02m"],
	[360_000_000, "100h00m"],
])("a duration of %d ms reads %s", (ms, text) => expect(formatDuration(ms)).toBe(text));

test.each([
	[-5, "0s"],
	[999, "0s"],
	[1000, "1s"],
	[185_000, "3m05s"],
])("what has been going on for %d ms reads %s", (ms, text) => expect(formatElapsed(ms)).toBe(text));

test.each([
	[-3_600_000, "0 s"],
	[0, "0 s"],
	[1, "1 s"],
	[59_001, "1m00s"],
])("a wait of %d ms reads %s", (ms, text) => expect(formatWait(ms)).toBe(text));

test.each([
	[-5, "0s"],
	[59_999, "59s"],
	[60_000, "1m"],
	[3_599_999, "59m"],
	[3_600_000, "1h"],
	[47 * 3_600_000, "47h"],
	[48 * 3_600_000, "2d"],
	[400 * 86_400_000, "400d"],
])("an age of %d ms reads %s", (ms, text) => expect(formatAge(ms)).toBe(text));

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
