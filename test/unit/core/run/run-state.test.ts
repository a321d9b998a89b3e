import { expect, test } from "vitest";
import type { RunEvent } from "../../../../src/core/run/run-event.ts";
import {
	agentsInOrder,
	EMPTY_RUN,
	livingAgents,
	type RunState,
	reduce,
	totalsOf,
} from "../../../../src/core/run/run-state.ts";
import { lendsSlot } from "../../../../src/core/run/turn-state.ts";
import { commandEnded, commandStarted, ended, joined, runOf, turnEnded, turnStarted } from "../run-of.ts";

const stateOf = (run: RunState, id: string) => run.agents[id]?.state;

test("an agent is queued when it joins, thinks while a call is under way, and runs after it", () => {
	const run = runOf(joined("1", {}, undefined, 1100));
	expect(stateOf(run, "1")).toEqual({ is: "queued", since: 1100 });
	const thinking = reduce(run, turnStarted("1", 1, false, 1200));
	expect(stateOf(thinking, "1")).toEqual({ is: "thinking", since: 1200, turn: 1 });
	expect(stateOf(reduce(thinking, turnEnded("1", 1, 1300)), "1")).toEqual({ is: "running", since: 1300 });
	expect(stateOf(reduce(thinking, { event: "turn_queued", at: 1400, agent: "1" }), "1")).toEqual({
		is: "queued",
		since: 1400,
	});
});

test("an agent waits exactly while a command of it has living children", () => {
	const events = [joined("1"), turnStarted("1", 1), turnEnded("1", 1), commandStarted("1", 1), commandStarted("1", 2)];
	const alone = runOf(...events);
	expect(stateOf(alone, "1")?.is).toBe("running");
	const withChild = reduce(alone, joined("1.1", {}, 2, 3000));
	expect(stateOf(withChild, "1")).toEqual({ is: "waiting", since: 3000 });
	expect(stateOf(reduce(withChild, commandEnded("1", 1)), "1")).toEqual({ is: "waiting", since: 3000 });
	expect(stateOf(reduce(withChild, ended("1.1", 4000)), "1")).toEqual({ is: "running", since: 4000 });
	expect(stateOf(reduce(withChild, commandEnded("1", 2, 5000)), "1")).toEqual({ is: "running", since: 5000 });
});

test("a grandchild does not make the agent wait, and a child of no command neither", () => {
	const run = runOf(joined("1"), turnStarted("1", 1), turnEnded("1", 1), commandStarted("1", 1));
	expect(lends(reduce(run, joined("1.1")))).toBe(false);
	expect(lends([joined("1.1", {}, 1), joined("1.1.1", {}, 1), ended("1.1")].reduce(reduce, run))).toBe(false);
	expect(lends(reduce(run, joined("1.1", {}, 1)))).toBe(true);

	function lends(state: RunState): boolean {
		const root = state.agents["1"];
		return root !== undefined && lendsSlot(root);
	}
});

const LATE: RunEvent[] = [
	{ event: "turn_queued", at: 9, agent: "1.1" },
	turnStarted("1.1", 2),
	turnEnded("1.1", 1),
	commandStarted("1.1", 1),
	commandEnded("1.1", 1),
	{ event: "agent_ended", at: 9, agent: "1.1", ending: { by: "crashed", reason: "later" } },
];

test.each(LATE)("an agent that has ended stays as it ended, whatever comes late: $event", (event) => {
	const run = runOf(joined("1"), joined("1.1"), turnStarted("1.1", 1), ended("1.1", 3000));
	expect(stateOf(reduce(run, event), "1.1")).toEqual({ is: "ended", at: 3000, ending: { by: "answer" } });
	expect(reduce(run, event).agents["1.1"]?.running).toEqual([]);
});

test("an event about an agent that nobody knows changes no agent", () => {
	const run = runOf(joined("1"));
	for (const event of LATE) expect(reduce(run, event).agents).toEqual(run.agents);
});

test("commands are counted when they start and are no longer running when they end", () => {
	const run = runOf(joined("1"), turnStarted("1", 1), turnEnded("1", 1), commandStarted("1", 1, 2500));
	expect(run.agents["1"]?.running).toEqual([
		{ command: 1, text: "ls", pid: 201, log: "out/0001.log", since: 2500, children: 0 },
	]);
	const after = reduce(run, commandEnded("1", 1)).agents["1"];
	expect(after).toMatchObject({ commands: 1, running: [], lastCommandEnd: { by: "exit", code: 0 } });
});

test("usage and cost add up over answers and failures, and an unknown price makes the whole unknown", () => {
	const usage = { input: 10, output: 1, cacheRead: 0, cacheWrite: 0 };
	const spent = (costUsd: number | null): RunEvent => ({
		...{ event: "turn_failed", at: 1, agent: "1", turn: 1, reason: "cut" },
		usage,
		costUsd,
	});
	const known = [spent(0.25), spent(0.5)].reduce(reduce, runOf(joined("1"), joined("1.1")));
	expect(known.agents["1"]).toMatchObject({ usage: { ...usage, input: 20, output: 2 }, costUsd: 0.75 });
	expect(totalsOf(agentsInOrder(known))).toMatchObject({ agents: 2, alive: 2, costUsd: 0.75 });
	const unknown = [spent(null), spent(0.5)].reduce(reduce, known);
	expect(totalsOf(agentsInOrder(unknown)).costUsd).toBeNull();
});

test("the totals count who lives, and the order is the tree's", () => {
	const run = runOf(joined("1"), joined("1.10"), joined("1.2"), joined("1.2.1"), ended("1.10"));
	expect(agentsInOrder(run).map(({ id }) => id)).toEqual(["1", "1.2", "1.2.1", "1.10"]);
	expect(livingAgents(run).sort()).toEqual(["1", "1.2", "1.2.1"]);
	expect(totalsOf(agentsInOrder(run))).toMatchObject({ agents: 4, alive: 3 });
});

test("the first reason to stop the run is the one that stays", () => {
	const stop = (reason: string): RunEvent => ({ event: "run_stopping", at: 1, reason });
	expect([stop("time"), stop("Ctrl-C")].reduce(reduce, EMPTY_RUN).stopping).toBe("time");
});

test("refusals are counted, and the end of the run is kept whole", () => {
	const run = reduce(runOf(joined("1")), {
		...{ event: "child_refused", at: 1, parent: "1", code: "depth", reason: "no", task: "t" },
	} as RunEvent);
	expect(run.refused).toBe(1);
	const over = reduce(run, { event: "run_ended", at: 9, ending: { by: "answer" }, exitCode: 0, survivors: [7] });
	expect(over.ended).toEqual({ at: 9, ending: { by: "answer" }, exitCode: 0, survivors: [7] });
});

test("an agent that repeats itself is marked until its next command ends", () => {
	const repeats = { event: "agent_repeats", at: 2100, agent: "1", command: 5, times: 5 } as const;
	const marked = runOf(joined("1"), commandStarted("1", 5), commandEnded("1", 5), repeats);
	expect(marked.agents["1"]?.repeats).toBe(5);
	const next = reduce(marked, commandStarted("1", 6));
	expect(next.agents["1"]?.repeats).toBe(5);
	expect(reduce(next, commandEnded("1", 6)).agents["1"]).not.toHaveProperty("repeats");
});
