import { expect, test } from "vitest";
import { LIMIT_TABLE } from "../../../../src/core/limits/limits.ts";
import { RESUME_OPTIONS, RUN_OPTIONS } from "../../../../src/project/config/option-table.ts";

test("no two options share a flag or a letter", () => {
	const names = RUN_OPTIONS.flatMap(({ flag, short }) => (short === undefined ? [flag] : [flag, short]));
	expect(new Set(names).size).toBe(names.length);
});

test("every limit is an option, in the order of the table", () => {
	const flags = LIMIT_TABLE.map(({ flag }) => flag);
	expect(RUN_OPTIONS.map(({ flag }) => flag).filter((flag) => flags.includes(flag))).toEqual(flags);
});

test.each([
	["max-depth", "N", "levels of agents below the first (default: 3)"],
	["max-time", "TIME", "wall-clock time: 90s, 30m, 2h (default: 1h)"],
	["max-budget-usd", "X", "cost of model calls in dollars: 0.50 (default: no limit)"],
])("the help of --%s names its default", (flag, value, help) => {
	expect(RUN_OPTIONS.find((row) => row.flag === flag)).toEqual({ flag, value, help });
});

test("the help of resume promises no default for a limit: a run keeps the one that it had", () => {
	const limits = RESUME_OPTIONS.filter(({ flag }) => flag.startsWith("max-"));
	expect(limits.map(({ flag }) => flag)).toEqual(
		RUN_OPTIONS.map(({ flag }) => flag).filter((flag) => /^max-/.test(flag)),
	);
	for (const { help } of limits) expect(help).toMatch(/ \(default: the run's own\)$/);
});
