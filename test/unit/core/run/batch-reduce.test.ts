import { expect, test } from "vitest";
import { branchOf } from "../../../../src/core/run/agent-index.ts";
import type { RunEvent } from "../../../../src/core/run/run-event.ts";
import { createBatchReduce, EMPTY_RUN, type RunState, reduce } from "../../../../src/core/run/run-state.ts";
import { commandStarted, ended, joined, runOf, STARTED, turnEnded, turnStarted } from "../run-of.ts";

const RUN = runOf(joined("1"), commandStarted("1", 1));
const EVENTS: RunEvent[] = [
	joined("1.1", {}, 1),
	turnStarted("1.1", 1),
	turnEnded("1.1", 1),
	{ event: "calls_slowed", at: 5, reason: "busy", waitMs: 5, maxCalls: 2 },
	joined("1.2", {}, 1),
	ended("1.1"),
];

test("it gives what reduce gives, and leaves the state that it was given as it was", () => {
	const before = structuredClone(RUN);
	branchOf(RUN.agents, "1");
	const batch = EVENTS.reduce(createBatchReduce(), RUN);
	expect(batch).toEqual(EVENTS.reduce(reduce, RUN));
	expect(RUN).toEqual(before);
	expect([batch === RUN, batch.agents === RUN.agents]).toEqual([false, false]);
	expect([branchOf(batch.agents, "1").living, branchOf(RUN.agents, "1").living]).toEqual([2, 1]);
});

test("a state that comes in between is copied, too, before it is changed", () => {
	const other = runOf(joined("1"), joined("1.7"));
	const before = structuredClone(other);
	const reduceBy = createBatchReduce();
	const first = EVENTS.reduce(reduceBy, RUN);
	const second = [joined("1.8"), ended("1.7")].reduce(reduceBy, other);
	expect(other).toEqual(before);
	expect(Object.keys(second.agents)).toEqual(["1", "1.7", "1.8"]);
	const third = reduceBy(first, ended("1.2"));
	expect(first.agents["1.2"]?.state.is).toBe("queued");
	expect(third.agents["1.2"]?.state.is).toBe("ended");
});

test("a run that begins has agents of its own", () => {
	const run: RunState = [STARTED, joined("1")].reduce(createBatchReduce(), EMPTY_RUN);
	expect([Object.keys(run.agents), Object.keys(EMPTY_RUN.agents)]).toEqual([["1"], []]);
});
