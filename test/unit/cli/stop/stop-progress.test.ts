import { expect, test } from "vitest";
import { stopProgress } from "../../../../src/cli/stop/stop-request.ts";

function linesOf(isTerminal: boolean, times: readonly number[], alive: readonly string[] = ["1.1", "1.2"]): string[] {
	const lines: string[] = [];
	const progress = stopProgress("run R", { isTerminal, say: (line) => lines.push(line) });
	for (const ms of times) progress(ms, alive);
	return lines;
}

test("a stop that takes long tells every three seconds who is still alive", () => {
	expect(linesOf(true, [500, 1_500, 2_000, 4_500, 5_000])).toEqual([
		"agent: stopping run R for 1s; still alive: 1.1, 1.2",
		"agent: stopping run R for 4s; still alive: 1.1, 1.2",
	]);
});

test("where nobody watches, a stop within its usual time says nothing", () => {
	expect(linesOf(false, [500, 1_500, 5_500])).toEqual([]);
	expect(linesOf(false, [6_000])).toHaveLength(1);
});

test("of many agents a few are named, and of none their processes", () => {
	const many = Array.from({ length: 10 }, (_, n) => `1.${n + 1}`);
	expect(linesOf(true, [2_000], many)[0]).toMatch(/1\.7, 1\.8 and 2 more$/);
	expect(linesOf(true, [2_000], [])[0]).toMatch(/no agents, but some of their processes$/);
});
