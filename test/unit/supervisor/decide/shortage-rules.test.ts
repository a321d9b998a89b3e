/** Memory is short: who waits, and that a run never stands still for it. */
import { expect, test } from "vitest";
import type { Shortage } from "../../../../src/core/limits/shortage.ts";
import { diceOf } from "../../dice.ts";
import { play } from "./play.ts";
import { eventNames, refusals, type Scenario, startScenario, told } from "./scenario.ts";

const MEMORY: Shortage = { what: "memory", reason: "little memory" };
const DISK: Shortage = { what: "disk", reason: "little disk" };
const short = (run: Scenario, ...shortages: Shortage[]) => run.dispatch({ is: "shortages", shortages });

test("while memory is short an agent that has not begun waits, others go on, and it begins when the shortage ends", () => {
	// Seen to fail with `grantSlots` in the place of `grantSlots`.
	const run = startScenario();
	run.root();
	run.ask("1");
	expect(eventNames(short(run, MEMORY))).toEqual(["shortage_began"]);
	run.answer("1");
	run.command("1", 1);
	run.command("1", 2);
	run.child("1", 1);
	run.ask("1.1"); // nobody else is active: it may
	run.child("1", 2);
	run.ask("1.2");
	expect(run.calling()).toEqual(["1.1"]);
	run.answer("1.1");
	run.ask("1.1"); // its second turn
	expect(run.calling()).toEqual(["1.1"]);
	expect(eventNames(short(run))).toEqual(["shortage_ended", "turn_started 1.2"]);
	expect(run.calling()).toEqual(["1.1", "1.2"]);
});

test("when nobody is active any more, one that waits for memory begins, and only one", () => {
	// Seen to fail without the last three lines of `grantSlots`: nobody ever begins.
	const run = startScenario();
	run.root();
	run.runs("1", 1);
	short(run, MEMORY);
	for (const id of ["1.1", "1.2", "1.3"]) {
		run.child("1", 1);
		run.ask(id);
	}
	expect(run.calling()).toEqual(["1.1"]);
	run.answer("1.1");
	run.finish("1.1");
	expect(run.calling()).toEqual(["1.2"]);
});

test("however memory comes and goes, every agent of a random tree gets to its end", () => {
	for (let seed = 1; seed <= 6; seed++) {
		const dice = diceOf(seed);
		const run = startScenario({ maxDepth: 3, maxAgents: 40, maxConcurrency: 1 + (seed % 4) });
		let moves = 0;
		short(run, MEMORY);
		play(run, dice, { depth: 3, width: 3, deathsPerHundred: seed % 3, mayLeaveChildren: false }, () => {
			moves += 1;
			if (moves % 7 === 0) short(run, ...(dice.roll(2) === 0 ? [MEMORY] : []));
		});
		expect(moves).toBeGreaterThan(5);
	}
});

test("while the disk is short, children are refused with a reason, logs are not written, and those that join are told too", () => {
	const run = startScenario();
	run.root();
	run.runs("1", 1);
	run.child("1", 1);
	const forbidden = { say: "logs", mayWrite: false, reason: "little disk" };
	const began = short(run, DISK);
	expect([told(began, "1"), told(began, "1.1")]).toEqual([[forbidden], [forbidden]]);
	expect(refusals(run.child("1", 1))).toEqual([
		{ code: "disk", reason: "little disk: free some space, or do this task yourself, without starting agents" },
	]);
	expect(told(short(run), "1")).toEqual([{ say: "logs", mayWrite: true }]);
	short(run, { what: "output", reason: "much output" });
	expect(told(run.child("1", 1), "1.2")).toContainEqual({ say: "logs", mayWrite: false, reason: "much output" });
});
