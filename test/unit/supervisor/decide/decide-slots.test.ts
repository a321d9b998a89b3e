import { expect, test } from "vitest";
import { eventNames, startScenario } from "./scenario.ts";

test("the slot is lent at the join of the first child, which starts at once ahead of those who wait longer", () => {
	const run = startScenario({ maxConcurrency: 1 });
	run.root();
	run.runs("1", 1);
	run.child("1", 1);
	run.child("1", 1);
	run.ask("1.2");
	run.runs("1.1", 1);
	expect(eventNames(run.child("1.1", 1))).toEqual(["agent_joined 1.1.1"]);
	expect(eventNames(run.ask("1.1.1"))).toEqual(["turn_started 1.1.1"]);
	expect([...run.state().slots.active]).toEqual(["1.1.1"]);
});

test("who lent its slot is back ahead of agents that have not started, once its last child has ended", () => {
	const run = startScenario({ maxConcurrency: 1 });
	run.root();
	run.runs("1", 1);
	run.child("1", 1);
	run.child("1", 1);
	run.ask("1.2");
	run.runs("1.1", 1);
	run.child("1.1", 1);
	run.ask("1.1.1");
	run.answer("1.1.1");
	run.finish("1.1.1");
	expect(run.slots()).toEqual({ active: ["1.1"], waiting: [{ agent: "1.2", isReturning: false }] });
	run.commandEnds("1.1", 1);
	expect(eventNames(run.ask("1.1"))).toEqual(["turn_started 1.1"]);
});

test("an ask without a free slot is queued, and starts when one is free", () => {
	const run = startScenario({ maxConcurrency: 1 });
	run.root();
	run.runs("1", 1);
	run.child("1", 1);
	run.child("1", 1);
	run.ask("1.1");
	expect(eventNames(run.ask("1.2"))).toEqual(["turn_queued 1.2"]);
	run.answer("1.1");
	expect(eventNames(run.finish("1.1"))).toEqual(["agent_ended 1.1", "turn_started 1.2"]);
	expect(run.calling()).toEqual(["1.2"]);
});

test("an agent that waits for a slot with a child that joins meanwhile does not keep the child from its slot", () => {
	const run = startScenario({ maxConcurrency: 1 });
	run.root();
	run.runs("1", 1);
	run.child("1", 1);
	run.child("1", 1);
	run.runs("1.1", 1);
	run.child("1.1", 1);
	run.child("1.1", 1);
	run.ask("1.2");
	run.gone("1.1.1");
	run.gone("1.1.2"); // it had waited behind 1.2, which is active now
	expect(run.slots()).toEqual({ active: ["1.2"], waiting: [{ agent: "1.1", isReturning: true }] });
	run.child("1.1", 1);
	run.ask("1.1.3");
	run.answer("1.2");
	run.finish("1.2");
	expect(run.calling()).toEqual(["1.1.3"]);
});

test("with a child in the background, whose command has ended, the parent can still think", () => {
	const run = startScenario({ maxConcurrency: 2 });
	run.root();
	run.runs("1", 1);
	run.child("1", 1);
	run.commandEnds("1", 1);
	run.ask("1.1");
	expect(eventNames(run.ask("1"))).toEqual(["turn_started 1"]);
	expect(run.calling().sort()).toEqual(["1", "1.1"]);
});

test("with one slot a parent and its child in the background take turns", () => {
	const run = startScenario({ maxConcurrency: 1 });
	run.root();
	run.runs("1", 1);
	run.child("1", 1);
	run.ask("1.1");
	run.commandEnds("1", 1);
	expect(eventNames(run.ask("1"))).toEqual(["turn_queued 1"]);
	run.answer("1.1");
	run.finish("1.1");
	expect(run.calling()).toEqual(["1"]);
});

test("a child's own limit on concurrency binds all below it", () => {
	const run = startScenario();
	run.root();
	run.runs("1", 1);
	run.child("1", 1, { maxConcurrency: 1 });
	run.runs("1.1", 1);
	for (const child of ["1.1.1", "1.1.2"]) {
		run.child("1.1", 1);
		run.ask(child);
	}
	run.child("1", 1);
	run.ask("1.2");
	expect(run.calling().sort()).toEqual(["1.1.1", "1.2"]);
});

test("the slot of an agent that is gone is free at once, and its call is cancelled", () => {
	const run = startScenario({ maxConcurrency: 1 });
	run.root();
	run.runs("1", 1);
	run.child("1", 1);
	run.child("1", 1);
	run.ask("1.1");
	run.ask("1.2");
	const { effects } = run.gone("1.1");
	expect(effects).toContainEqual({ do: "cancel_call", agent: "1.1" });
	expect(run.calling()).toEqual(["1.2"]);
});

test("an agent that asks while a command of it has living children gets its turn: it thinks, and lends nothing", () => {
	const run = startScenario({ maxConcurrency: 1 });
	run.root();
	run.runs("1", 1);
	run.child("1", 1);
	run.ask("1.1");
	run.ask("1");
	run.answer("1.1");
	run.finish("1.1");
	run.child("1", 1);
	run.ask("1.2");
	expect(run.calling()).toEqual(["1"]);
	run.answer("1");
	expect(run.calling()).toEqual(["1.2"]);
});
