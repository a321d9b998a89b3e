import { expect, test } from "vitest";
import type { Ending } from "../../../../src/core/model/agent.ts";
import { CRASH, CTRL_C, eventNames, refusals, startScenario, told } from "./scenario.ts";

/** 1 ← 1.1 ← 1.1.1, and 1.2 beside; all but the root are thinking. */
function treeOfFour() {
	const run = startScenario();
	run.root();
	run.runs("1", 1);
	run.child("1", 1);
	run.runs("1.1", 1);
	run.child("1.1", 1);
	run.child("1", 1);
	run.ask("1.1.1");
	run.ask("1.2");
	return run;
}

const below = (above: string, by: string, signal: number): Ending => ({
	by: "stopped",
	reason: `agent ${above} above it ended (${by})`,
	signal,
});

test("to stop an agent closes its subtree before anyone is told, then tells each of it and cancels its calls", () => {
	const run = treeOfFour();
	const { events, effects } = run.stop("1.1");
	expect(events).toMatchObject([{ event: "agent_stopping", agent: "1.1", reason: "Ctrl-C" }]);
	expect(effects).toEqual([
		{ do: "tell", agent: "1.1", message: { say: "stop", ending: CTRL_C } },
		{ do: "cancel_call", agent: "1.1.1" },
		{ do: "tell", agent: "1.1.1", message: { say: "stop", ending: below("1.1", "stopped", 2) } },
		{ do: "end_after_grace", agent: "1.1" },
	]);
	expect(refusals(run.child("1.1", 1))).toEqual([{ code: "stopping", reason: "agent 1.1 is being stopped" }]);
	expect(refusals(run.child("1.1.1"))).toEqual([{ code: "stopping", reason: "agent 1.1 is being stopped" }]);
	expect(refusals(run.child("1.2"))).toEqual([]);
	expect(run.calling()).toEqual(["1.2"]);
});

test("to stop the root stops the run, and nothing joins it any more", () => {
	const run = treeOfFour();
	expect(eventNames(run.stop("1"))).toEqual(["run_stopping", "agent_stopping 1"]);
	expect(run.calling()).toEqual([]);
	expect(refusals(run.child("1.2"))).toEqual([{ code: "stopping", reason: "the run is stopping (Ctrl-C)" }]);
	for (const agent of ["1", "1.1", "1.1.1", "1.2"])
		expect(told({ effects: run.effects }, agent).filter(({ say }) => say === "stop")).toHaveLength(1);
});

test("an agent that was told to stop gets no more turns and no refusal either", () => {
	const run = treeOfFour();
	run.stop("1.1");
	expect(run.ask("1.1")).toMatchObject({ events: [], effects: [] });
	expect(run.ask("1.1.1", true)).toMatchObject({ events: [], effects: [] });
});

test("the first cause wins: a later stop above changes no ending that was told", () => {
	const run = treeOfFour();
	const limit: Ending = { by: "limit", limit: "max-time", reason: "time limit reached" };
	run.stop("1.1", limit);
	const later = run.stop("1");
	expect(told(later, "1.1")).toEqual([{ say: "stop", ending: limit }]);
	expect(told(later, "1.1.1")).toEqual([{ say: "stop", ending: below("1.1", "limit", 15) }]);
	expect(told(later, "1.2")).toEqual([{ say: "stop", ending: below("1", "stopped", 2) }]);
	run.gone("1.1");
	run.gone("1.2");
	expect(run.state().run.agents["1.1"]?.state).toMatchObject({ is: "ended", ending: limit });
	expect(run.state().run.agents["1.2"]?.state).toMatchObject({ ending: below("1", "stopped", 2) });
});

test("a second stop of the same agent decides nothing", () => {
	const run = treeOfFour();
	run.stop("1.1");
	expect(run.stop("1.1", CRASH)).toMatchObject({ events: [], effects: [] });
});

test("the limit of time is a stop that ends the agent by the limit, and all below it as stopped", () => {
	const run = treeOfFour();
	const ending: Ending = { by: "limit", limit: "max-time", reason: "time limit reached (max-time 1 s)" };
	const { effects } = run.stop("1", ending);
	expect(told({ effects }, "1")).toEqual([{ say: "stop", ending }]);
	expect(told({ effects }, "1.2")).toEqual([{ say: "stop", ending: below("1", "limit", 15) }]);
});

test("an agent that is gone is ended as it must be believed, its children are stopped, what it left is ended", () => {
	const run = treeOfFour();
	const { events, effects } = run.gone("1.1");
	expect(events).toMatchObject([
		{ event: "agent_ended", agent: "1.1", ending: CRASH },
		{ event: "agent_stopping", agent: "1.1.1", reason: "agent 1.1 above it ended (crashed)" },
	]);
	expect(effects).toContainEqual({ do: "cancel_call", agent: "1.1.1" });
	expect(told({ effects }, "1.1.1")).toEqual([{ say: "stop", ending: below("1.1", "crashed", 15) }]);
	expect(effects).toContainEqual({ do: "end", agent: "1.1", isGone: true });
	expect(run.calling()).toEqual(["1.2"]);
});

test("an agent that finishes is told so, its process may still print, and its living children are stopped", () => {
	const run = treeOfFour();
	const { events, effects } = run.finish("1.1");
	expect(eventNames({ events })).toEqual(["agent_ended 1.1", "agent_stopping 1.1.1"]);
	expect(effects.at(-1)).toEqual({ do: "end", agent: "1.1", isGone: false }); // `finished` follows it
	expect(run.state().run.agents["1.1"]?.state).toMatchObject({ is: "ended", ending: { by: "answer" } });
});

test("the close of its connection after it has finished changes nothing", () => {
	const run = treeOfFour();
	run.finish("1.2");
	expect(run.gone("1.2")).toMatchObject({ events: [], effects: [] });
	expect(run.state().run.agents["1.2"]?.state).toMatchObject({ ending: { by: "answer" } });
});

test("a stop for an agent that nobody knows, or that has ended, decides nothing", () => {
	const run = treeOfFour();
	run.finish("1.2");
	for (const agent of ["1.2", "1.9", "2"]) expect(run.stop(agent)).toMatchObject({ events: [], effects: [] });
});

test("an agent that was told to stop takes no slot from those who go on, and keeps the one it has until it has ended", () => {
	const run = startScenario({ maxConcurrency: 1 });
	run.root();
	run.runs("1", 1);
	for (const child of ["1.1", "1.2", "1.3"]) {
		run.child("1", 1);
		run.ask(child);
	}
	run.stop("1.1");
	run.stop("1.2");
	expect(run.slots()).toEqual({ active: ["1.1"], waiting: [{ agent: "1.3", isReturning: false }] });
	run.gone("1.1");
	expect(run.calling()).toEqual(["1.3"]);
});

test("below an agent that is gone each is told once: its children because of it, the others because of their parents", () => {
	const run = treeOfFour();
	run.child("1.1.1");
	const { events, effects } = run.gone("1.1");
	expect(eventNames({ events })).toEqual(["agent_ended 1.1", "agent_stopping 1.1.1"]);
	expect(told({ effects }, "1.1.1.1")).toEqual([{ say: "stop", ending: below("1.1.1", "stopped", 15) }]);
});

// Seen to fail (1.1 was "stopped: agent 1 above it ended") without `cameFirst`.
test("an agent that died before its parent ended has died, though why is known only afterwards", () => {
	const run = startScenario();
	run.root();
	run.runs("1", 1);
	run.child("1", 1);
	run.finish("1");
	const killed = { by: "killed", signal: "SIGKILL" } as const;
	const { events } = run.dispatch({ is: "gone", agent: "1.1", ending: killed, cameFirst: true });
	expect(events).toMatchObject([{ event: "agent_ended", agent: "1.1", ending: killed }]);
});

// Seen to fail without `endingOfFinished`: "got SIGTERM".
test("an agent that met the SIGTERM of a stop before its message ends as it was told", () => {
	const run = treeOfFour();
	run.stop("1", { by: "failure", reason: "the disk is full", exitCode: 1 });
	const told = below("1", "failure", 15);
	expect(run.finish("1.1", { by: "stopped", reason: "got SIGTERM", signal: 15 }).events[0]).toMatchObject({
		...{ event: "agent_ended", agent: "1.1", ending: told },
	});
	const answer: Ending = { by: "answer" };
	expect(run.finish("1.2", answer).events[0]).toMatchObject({ event: "agent_ended", agent: "1.2", ending: answer });
});
