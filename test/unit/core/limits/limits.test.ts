import { expect, test } from "vitest";
import {
	changedLimits,
	DEFAULT_LIMITS,
	LIMIT_TABLE,
	type Limits,
	limitReached,
	limitsOfChild,
	narrow,
} from "../../../../src/core/limits/limits.ts";
import { DEFAULT_BOUNDS, type MachineResources, shortagesIn } from "../../../../src/core/limits/shortage.ts";
import { diceOf } from "../../dice.ts";

test("a budget is in force only when one is set, below a parent's it only shrinks, and it is a part of a dollar too", () => {
	const bound = narrow(DEFAULT_LIMITS, { maxBudgetUsd: 0.2, maxTokens: 5000 });
	expect(bound).toEqual({ ...DEFAULT_LIMITS, maxBudgetUsd: 0.2, maxTokens: 5000 });
	expect(limitsOfChild(bound, {})).toEqual({ ...bound, maxDepth: 2 });
	expect(limitsOfChild(bound, { maxBudgetUsd: 3, maxTokens: 10 })).toEqual({ ...bound, maxDepth: 2, maxTokens: 10 });
	expect(narrow(DEFAULT_LIMITS, { maxBudgetUsd: 0, maxTokens: 0.5 })).toEqual(DEFAULT_LIMITS);
	expect(JSON.parse(JSON.stringify(bound))).toEqual(bound);
});

test("a child has one level less below it, and may ask for less still", () => {
	expect(limitsOfChild(DEFAULT_LIMITS, {})).toEqual({ ...DEFAULT_LIMITS, maxDepth: 2 });
	expect(limitsOfChild(DEFAULT_LIMITS, { maxDepth: 3 }).maxDepth).toBe(2);
	expect(limitsOfChild(DEFAULT_LIMITS, { maxDepth: 0 }).maxDepth).toBe(0);
});

test("nothing that a process may send in place of a number takes a limit away", () => {
	const nonsense = ["99", "many", Number.NaN, Number.POSITIVE_INFINITY, {}, [], null, true, -1];
	for (const { key } of LIMIT_TABLE) {
		for (const value of nonsense) {
			const asked = { [key]: value } as unknown as Partial<Limits>;
			expect(narrow(DEFAULT_LIMITS, asked)).toEqual(DEFAULT_LIMITS);
		}
	}
});

test("however often it is narrowed, no limit ever grows", () => {
	const dice = diceOf(11);
	for (let round = 0; round < 100; round++) {
		let limits = DEFAULT_LIMITS;
		for (let level = 0; level < 4; level++) {
			const asked: Record<string, number> = {};
			for (const { key } of LIMIT_TABLE) if (dice.roll(2) === 0) asked[key] = dice.roll(2 * (limits[key] ?? 9) + 2);
			const next = narrow(limits, asked as Partial<Limits>);
			for (const { key } of LIMIT_TABLE)
				expect(next[key] ?? Number.POSITIVE_INFINITY).toBeLessThanOrEqual(limits[key] ?? Number.POSITIVE_INFINITY);
			limits = next;
		}
	}
});

test("whoever meets a limit is told which, and whose it is where a subtree shares it", () => {
	const met = { most: 5, holder: "1.2", used: "$4" } as const;
	expect(limitReached("maxTurns", met)).toEqual({
		limit: "max-turns",
		reason: "turn limit reached (max-turns 5)",
	});
	for (const { flag, reached, isShared } of LIMIT_TABLE) {
		if (reached === undefined) continue;
		expect(reached(met)).toContain(`(${flag} ${flag === "max-time" ? "0.005 s" : "5"}`);
		if (isShared) expect(reached(met)).toContain("agent 1.2");
	}
});

test("every limit has a flag and a variable of its own, named after it", () => {
	const flags = LIMIT_TABLE.map(({ flag }) => flag);
	expect([...new Set(flags)]).toEqual(flags);
	for (const { flag, variable } of LIMIT_TABLE)
		expect(variable).toBe(`AGENTREE_${flag.toUpperCase().replaceAll("-", "_")}`);
	expect(LIMIT_TABLE.flatMap(({ key, default: value }) => (value === undefined ? [key] : []))).toEqual([
		"maxBudgetUsd",
		"maxTokens",
	]);
});

test("a person sets limits anew, narrower and wider, and takes away those that need not be", () => {
	const before: Limits = { ...DEFAULT_LIMITS, maxTurns: 3, maxBudgetUsd: 1 };
	const changed = changedLimits(before, { maxTurns: 90, maxDepth: 0, maxBudgetUsd: null, unknown: 7 });
	const { maxBudgetUsd: _, ...rest } = before;
	expect(changed).toEqual({ is: "limits", limits: { ...rest, maxTurns: 90, maxDepth: 0 } });
	expect(changedLimits(before, { maxTurns: 0 })).toMatchObject({ is: "wrong" });
	expect(changedLimits(before, { maxTimeMs: null })).toMatchObject({ is: "wrong" });
});

const GIB = 1024 ** 3;
const PLENTY: MachineResources = { outputBytes: 0, freeDiskBytes: 100 * GIB, freeMemoryPercent: 60 };
const kinds = (resources: Partial<MachineResources>, before: Parameters<typeof shortagesIn>[2] = []) =>
	shortagesIn({ ...PLENTY, ...resources }, DEFAULT_BOUNDS, before).map(({ what }) => what);

test("what is kept free is a bound that may be reached, not passed; the output's may not be reached", () => {
	expect(kinds({ freeMemoryPercent: 10, freeDiskBytes: GIB, outputBytes: 2 * GIB - 1 })).toEqual([]);
	expect(kinds({ freeMemoryPercent: 9.9, freeDiskBytes: GIB - 1, outputBytes: 2 * GIB })).toEqual([
		"memory",
		"disk",
		"output",
	]);
});

test("a shortage is over at a tenth more than where it began, so that it does not come and go, and keeps its reason", () => {
	const before = shortagesIn({ ...PLENTY, freeMemoryPercent: 5, freeDiskBytes: 0 }, DEFAULT_BOUNDS, []);
	expect(shortagesIn({ ...PLENTY, freeMemoryPercent: 10.5, freeDiskBytes: GIB }, DEFAULT_BOUNDS, before)).toEqual(
		before,
	);
	expect(kinds({ freeMemoryPercent: 11, freeDiskBytes: 1.1 * GIB }, before)).toEqual([]);
});
