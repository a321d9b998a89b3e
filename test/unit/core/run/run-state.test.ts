import { expect, test } from "vitest";
import { countDoings, doingOf } from "../../../../src/core/doing.ts";
import { DEFAULT_LIMITS } from "../../../../src/core/limits/limits.ts";
import type { Ending } from "../../../../src/core/model/agent.ts";
import { NO_USAGE } from "../../../../src/core/model/usage.ts";
import { branchOf } from "../../../../src/core/run/agent-index.ts";
import { turnsTaken, workedMs } from "../../../../src/core/run/chat-progress.ts";
import { worktreeOf, worktreesLeft } from "../../../../src/core/run/file-events.ts";
import { pauseOf } from "../../../../src/core/run/pause.ts";
import { createBatchReduce, EMPTY_RUN, type RunState, reduce } from "../../../../src/core/run/run-state.ts";
import { totalsWithin } from "../../../../src/core/run/spending.ts";
import { lendsSlot } from "../../../../src/core/run/turn-state.ts";
import type { RunEvent } from "../../../../src/core/schemas/run-event.ts";
import { commandEnded, commandStarted, ended, joined, runOf, STARTED, turnEnded, turnStarted } from "../run-of.ts";

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

test("the first reason to stop the run is the one that stays", () => {
	const stop = (reason: string): RunEvent => ({ event: "run_stopping", at: 1, reason });
	expect([stop("time"), stop("Ctrl-C")].reduce(reduce, EMPTY_RUN).stopping).toBe("time");
});

const listening: RunEvent = { event: "agent_listening", at: 3000, agent: "1" };
const sent = (text: string, from: string | null = null): RunEvent => ({
	...{ event: "message_sent", at: 4000, agent: "1", from, text },
});
const withdrawn = (text: string): RunEvent => ({ event: "message_withdrawn", at: 5000, agent: "1", text });
const textsIn = (...events: RunEvent[]) => runOf(joined("1"), ...events).agents["1"]?.messages?.map(({ text }) => text);

test("the root of a conversation listens after its answer, and thinks again with its next turn", () => {
	const run = runOf(joined("1"), turnStarted("1", 1), turnEnded("1", 1), listening);
	expect(run.agents["1"]?.state).toEqual({ is: "listening", since: 3000 });
	expect(reduce(run, turnStarted("1", 2)).agents["1"]).toMatchObject({ turns: 2, state: { is: "thinking" } });
});

test("a run knows that it is a conversation, and each resume says anew whether it is one", () => {
	const run = reduce(runOf(), { ...STARTED, isConversation: true } as RunEvent);
	expect(run.isConversation).toBe(true);
	const again = { at: 5000, pid: 70, startTime: "77", limits: DEFAULT_LIMITS, version: "0.1.0" };
	const resumed: RunEvent = { event: "run_resumed", ...again };
	expect(reduce(run, resumed)).not.toHaveProperty("isConversation");
	expect(reduce(reduce(run, resumed), { ...resumed, isConversation: true }).isConversation).toBe(true);
});

test("the newest message of the person is taken back, and none of an agent", () => {
	expect(textsIn(sent("a"), sent("b"), sent("of 1.1", "1.1"), withdrawn("b"))).toEqual(["a", "of 1.1"]);
	expect(textsIn(sent("a"), withdrawn("a"))).toBeUndefined();
	expect(textsIn(sent("of 1.1", "1.1"), withdrawn("x"))).toEqual(["of 1.1"]);
});

const answered = (agent: string): RunEvent => ({
	...{ event: "turn_ended", at: 2000, agent, turn: 1, stopReason: "end_turn" },
	...{ usage: { ...NO_USAGE, output: 7 }, costUsd: 0.5 },
});

test("a copied run has spent nothing, is paused by nobody, and names no process of the first, which may be alive", () => {
	// Seen to fail with the processes of before: the copy's supervisor ended the commands of the first run.
	const first = runOf(
		...[joined("1"), turnStarted("1", 1), answered("1"), joined("1.1"), turnStarted("1.1", 1), answered("1.1")],
		{ event: "message_sent", at: 3000, agent: "1", from: null, text: "also x" },
		{ event: "agent_paused", at: 3000, agent: "1", from: null },
		...[ended("1.1"), ended("1")],
	);
	expect(totalsWithin(first, "1").costUsd).toBe(1);
	const copy = reduce(first, { event: "run_forked", at: 4000, run: "r2", from: "r1" });
	expect(copy).toMatchObject({ run: "r2", pid: 1, startTime: "", startedAt: first.startedAt });
	expect(totalsWithin(copy, "1")).toEqual({ agents: 2, alive: 0, turns: 2, usage: NO_USAGE, costUsd: 0 });
	for (const agent of Object.values(copy.agents)) {
		expect(agent).toMatchObject({ pid: 1, startTime: "", turns: 1 });
		expect([agent.messages, agent.paused]).toEqual([undefined, undefined]);
	}
	expect(totalsWithin(first, "1").costUsd).toBe(1);
});

const spent = { usage: NO_USAGE, costUsd: 0 };
const again = { pid: 70, startTime: "77", limits: DEFAULT_LIMITS };
const runResumed: RunEvent = { event: "run_resumed", at: 5000, ...again, version: "0.1.0" };
const resumed = (agent: string): RunEvent => ({ event: "agent_resumed", at: 5000, agent, ...again });

test("a turn that had brought no answer is made again under its number, and counted once", () => {
	// Seen to fail with the turns left as they were: a script has no turn 3 then.
	const run = runOf(joined("1"), turnStarted("1", 1), turnEnded("1", 1), turnStarted("1", 2), ended("1"));
	expect(run.agents["1"]).toMatchObject({ turns: 2, isUnanswered: true });
	const on = [runResumed, resumed("1")].reduce(reduce, run).agents["1"];
	expect(on).toMatchObject({ turns: 1, pid: 70, state: { is: "queued", since: 5000 } });
	expect(on).not.toHaveProperty("isUnanswered");
});

test("a turn whose call failed is made again as often as the run is resumed, and counted once; another call after it has its turn", () => {
	// Seen to fail without the mark that `turn_failed` leaves: with --max-turns 3 two failed resumes used all turns up.
	const failed: RunEvent = { event: "turn_failed", at: 2000, agent: "1", turn: 1, ...spent, reason: "503" };
	const once = runOf(joined("1"), turnStarted("1", 1), failed, ended("1"));
	const thrice = [resumed("1"), turnStarted("1", 1), failed, ended("1"), resumed("1"), turnStarted("1", 1), failed];
	const after = [...thrice, ended("1"), resumed("1")].reduce(reduce, once).agents["1"];
	expect([once.agents["1"]?.turns, after?.turns, after?.isUnanswered]).toEqual([1, 0, undefined]);
	const goneOn = runOf(joined("1"), turnStarted("1", 1), failed, turnStarted("1", 2), turnEnded("1", 2), ended("1"));
	expect(reduce(goneOn, resumed("1")).agents["1"]?.turns).toBe(2);
});

test("a last call, and a call between two turns, take no turn back", () => {
	const last = runOf(joined("1"), turnStarted("1", 1), turnEnded("1", 1), turnStarted("1", 2, true), ended("1"));
	const between = runOf(joined("1"), turnStarted("1", 1), turnEnded("1", 1), ended("1"));
	const compaction = runOf(joined("1"), turnStarted("1", 1), turnEnded("1", 1), {
		...{ event: "turn_started", at: 2000, agent: "1", turn: 1, isLast: false, purpose: "compaction" },
	} as RunEvent);
	for (const run of [last, between, reduce(compaction, ended("1"))])
		expect(reduce(run, resumed("1")).agents["1"]?.turns).toBe(1);
});

test("a resumed run is neither stopping nor over, and another model that was asked for holds", () => {
	const over = [
		joined("1"),
		{ event: "run_stopping", at: 2000, reason: "Ctrl-C" },
		{ event: "agent_stopping", at: 2000, agent: "1", reason: "Ctrl-C" },
		ended("1"),
		{ event: "run_ended", at: 2100, ending: { by: "answer" }, exitCode: 0, survivors: [] },
	] as RunEvent[];
	const run = reduce(runOf(...over), { ...runResumed, model: "other" });
	expect(run).toMatchObject({ pid: 70, startTime: "77", model: "other", closed: [], resumes: 1, startedAt: 1000 });
	expect(run).not.toHaveProperty("ended");
	expect(run).not.toHaveProperty("stopping");
	expect(run.agents["1"]?.model).toBe("shell");
});

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

const BEGUN: RunEvent[] = [Object.assign({}, STARTED, { isConversation: true }), joined("1")];
const delivered = (messages: number): RunEvent => ({ event: "message_delivered", at: 3, agent: "1", messages });

function rootAfter(...events: RunEvent[]) {
	const root = [...BEGUN, ...events].reduce(reduce, { ...EMPTY_RUN, agents: {} }).agents["1"];
	if (root === undefined) throw new Error("no root");
	return root;
}

test("the time of a root stands still while it listens or is paused, and begins anew when it is resumed", () => {
	expect(workedMs(rootAfter(), 3_000)).toBe(2_000);
	const heard = [turnStarted("1", 1), turnEnded("1", 1), { ...listening, at: 5_000 } as RunEvent];
	expect(workedMs(rootAfter(...heard), 90_000)).toBe(4_000);
	const again = [...heard, turnStarted("1", 2, false, 20_000)];
	expect(workedMs(rootAfter(...again), 21_000)).toBe(5_000);
	expect(workedMs(rootAfter(...again, { ...paused("1"), at: 22_000 } as RunEvent), 90_000)).toBe(6_000);
	expect(
		workedMs(
			rootAfter(...again, { ...paused("1"), at: 22_000 } as RunEvent, { ...continued("1"), at: 30_000 } as RunEvent),
			31_000,
		),
	).toBe(7_000);
	expect(workedMs(rootAfter(...again, ended("1", 40_000)), 90_000)).toBe(24_000);
	expect(workedMs(rootAfter(...again, ended("1", 40_000), { ...resumed("1"), at: 50_000 } as RunEvent), 51_000)).toBe(
		1_000,
	);
});

test("turns are counted from the newest message of a person that is delivered, not from those of agents", () => {
	const two = [turnStarted("1", 1), turnStarted("1", 2)];
	expect(turnsTaken(rootAfter(...two))).toBe(2);
	expect(turnsTaken(rootAfter(...two, sent("x", "1.1"), sent("x")))).toBe(2);
	expect(turnsTaken(rootAfter(...two, sent("x", "1.1"), sent("x"), delivered(1)))).toBe(2);
	expect(turnsTaken(rootAfter(...two, sent("x", "1.1"), sent("x"), delivered(2), turnStarted("1", 3)))).toBe(1);
});

test("nothing of it is counted of a run that is no conversation", () => {
	const { talked } = [STARTED, joined("1")].reduce(reduce, { ...EMPTY_RUN, agents: {} }).agents["1"] ?? {};
	expect(talked).toBeUndefined();
});

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

const own = { path: "/w/x", cwd: "/w/x", origin: "/p", repository: "/p/.git", branch: "agentree/x", base: "0" };
const begun: RunEvent = { event: "worktree_begun", at: 0, agent: "1", ...own };
const kept: RunEvent = { event: "worktree_kept", at: 1, agent: "1", commits: 1, files: 2, reason: "r" };
const removed: RunEvent = { event: "worktree_removed", at: 2, agent: "1" };
const after = (...events: RunEvent[]) => events.reduce(reduce, EMPTY_RUN);

test("a worktree is used from when it is begun, kept or removed at the end, and used again by an agent that goes on", () => {
	expect(worktreeOf(after(begun), "1")).toEqual(own);
	const after2 = after(begun, kept);
	expect(after2.worktrees).toEqual({ "1": { ...own, state: { is: "kept", commits: 1, files: 2, reason: "r" } } });
	expect(worktreeOf(after2, "1")).toBeUndefined();
	expect(worktreesLeft(after2)).toHaveLength(1);
	expect(worktreesLeft(after(begun, removed))).toEqual([]);
	expect(worktreeOf(after(begun, removed, begun), "1")).toEqual(own);
});

test("a copy of a run has none of the worktrees of the first", () => {
	expect(after(begun, { event: "run_forked", at: 3, run: "r", from: "q" }).worktrees).toBeUndefined();
});

test("agents are counted by what they do, and how they ended", () => {
	const retried = { ...{ turn: 1, attempt: 1, waitMs: 5, reason: "overloaded" }, ...spent };
	const endings: [string, Ending][] = [
		["1.4", { by: "failure", reason: "x", exitCode: 1 }],
		["1.5", { by: "stopped", reason: "x", signal: 15 }],
		["1.6", { by: "killed", signal: "SIGKILL" }],
	];
	const run = runOf(
		...["1", "1.1", "1.2", "1.3", "1.4", "1.5", "1.6", "1.7"].map((agent) => joined(agent)),
		...[turnStarted("1.1", 1), turnStarted("1.2", 1)],
		...[{ event: "turn_retrying", at: 1, agent: "1.2", ...retried } as RunEvent, ended("1.3"), paused("1.7")],
		...endings.map(([agent, ending]): RunEvent => ({ event: "agent_ended", at: 1, agent, ending })),
	);
	expect(countDoings(Object.values(run.agents))).toEqual({
		...{ queued: 1, thinking: 1, retrying: 1, answered: 1, failed: 2, stopped: 1, paused: 1 },
		...{ asking: 0, running: 0, waiting: 0, listening: 0 },
	});
	const doings = ["1.2", "1.6", "1.7"].map((id) => run.agents[id] && doingOf(run.agents[id]));
	expect(doings).toEqual(["retrying", "failed", "paused"]);
});
