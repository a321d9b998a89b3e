import { expect, test } from "vitest";
import { isRunId, namesOfRuns, newRunId } from "../../../../src/core/run/run-id.ts";

test("a run id is the local time and four random characters", () => {
	const numbers = [20.1 / 36, 3.1 / 36, 15.1 / 36, 9.1 / 36];
	expect(newRunId(new Date(2026, 10, 27, 20, 15, 30), () => numbers.shift() ?? 0)).toBe("20261127-201530-k3f9");
});

test("every part has its full width at the smallest and the largest random number", () => {
	const early = new Date(2026, 0, 2, 3, 4, 5);
	expect(newRunId(early, () => 0)).toBe("20260102-030405-0000");
	expect(newRunId(early, () => 1 - Number.EPSILON / 2)).toBe("20260102-030405-zzzz");
});

test("what is a run id, and what only looks like one", () => {
	expect(isRunId("20261127-201530-k3f9")).toBe(true);
	for (const other of [
		"",
		"20261127-201530",
		"20261127-201530-k3f9/1",
		"x20261127-201530-k3f9",
		"../20261127-201530-k3f9",
	])
		expect(isRunId(other)).toBe(false);
});

test("a run is called by its last characters, unless another one ends or begins with them", () => {
	const runs = ["20261127-201530-k3f9", "20261127-201531-k3f9", "20261127-201530-aaaa", "20261128-201530-2026"];
	expect([...namesOfRuns(runs)]).toEqual([
		["20261127-201530-k3f9", "20261127-201530-k3f9"],
		["20261127-201531-k3f9", "20261127-201531-k3f9"],
		["20261127-201530-aaaa", "aaaa"],
		["20261128-201530-2026", "20261128-201530-2026"],
	]);
});
