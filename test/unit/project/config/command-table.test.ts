import { expect, test } from "vitest";
import { COMMANDS } from "../../../../src/project/config/command-table.ts";
import { TABLE_WORDS } from "../../../../src/project/config/command-words.ts";
import { RESUME_OPTIONS, RUN_OPTIONS } from "../../../../src/project/config/option-table.ts";

test("the words that children know are those of the table", () => {
	expect([...TABLE_WORDS].sort()).toEqual(COMMANDS.map(({ word }) => word).sort());
});

test("no two options of a command share a flag or a letter", () => {
	for (const { word, options } of COMMANDS) {
		const names = options.flatMap(({ flag, short }) => (short === undefined ? [flag] : [flag, short]));
		expect({ word, names: [...new Set(names)] }).toEqual({ word, names });
	}
});

test("a flag means the same value wherever it stands, since completion asks nothing but its name", () => {
	const values = new Map<string, unknown>();
	for (const { flag, value } of COMMANDS.flatMap(({ options }) => options)) {
		expect(values.has(flag) ? values.get(flag) : value).toBe(value);
		values.set(flag, value);
	}
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
