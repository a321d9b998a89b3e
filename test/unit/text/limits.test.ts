import { expect, test } from "vitest";
import { DEFAULT_LIMITS, limitsOfChild } from "../../../src/core/limits/limits.ts";
import { describeLimits, describeSetLimits, formatDefaultLimit, formatLimit } from "../../../src/text/limits.ts";

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
