import { expect, test } from "vitest";
import { pauseOf } from "../../../../src/core/run/pause.ts";
import type { RunEvent } from "../../../../src/core/run/run-event.ts";
import type { RunState } from "../../../../src/core/run/run-state.ts";
import { joined, runOf } from "../run-of.ts";

const paused = (agent: string, from: string | null = null, isHard = false): RunEvent => {
	return { event: "agent_paused", at: 5, agent, from, ...(isHard && { isHard }) };
};
const continued = (agent: string, from: string | null = null): RunEvent => {
	return { event: "agent_continued", at: 6, agent, from };
};
const TREE = [joined("1"), joined("1.1"), joined("1.2"), joined("1.2.1")];
/** Agent → the agent with which it was paused. */
const pausesOf = ({ agents }: RunState) => {
	return Object.fromEntries(
		Object.values(agents).flatMap(({ id, paused: pause }) => (pause === undefined ? [] : [[id, pause.by]])),
	);
};

test("a pause is one of all below, of those that join there later, too, and so is its end", () => {
	const run = runOf(...TREE, paused("1.2"), joined("1.2.2"), joined("1.3"));
	expect(pausesOf(run)).toEqual({ "1.2": "1.2", "1.2.1": "1.2", "1.2.2": "1.2" });
	expect(pausesOf(runOf(...TREE, paused("1.2.1"), paused("1.1"), continued("1")))).toEqual({});
});

// Seen to fail with each pause put in the place of the one before: an agent lets go on what a person has paused.
test("what a person has paused no agent lets go on, also with a pause of its own above it", () => {
	const run = runOf(...TREE, paused("1.2.1"), paused("1.2", "1"), continued("1.2", "1"));
	expect(pausesOf(run)).toEqual({ "1.2.1": "1.2.1" });
	expect(pausesOf(runOf(...TREE, paused("1.2", "1"), continued("1.2")))).toEqual({});
});

test("a pause becomes a hard one and keeps its time, and an agent that has ended is not shown as paused", () => {
	const run = runOf(...TREE, { ...paused("1.1"), at: 3 }, paused("1.1", null, true));
	expect(run.agents["1.1"]?.paused).toEqual({ by: "1.1", since: 3, from: null, isHard: true });
	const over = runOf(...TREE, paused("1.1"), { event: "agent_ended", at: 7, agent: "1.1", ending: { by: "answer" } });
	expect([over.agents["1.1"]?.paused?.by, pauseOf(over.agents["1.1"])]).toEqual(["1.1", undefined]);
});
