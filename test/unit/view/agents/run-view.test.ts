/** What every face says of an agent: events in, words out. */
import { expect, test } from "vitest";
import { countDoings } from "../../../../src/core/doing.ts";
import type { Ending } from "../../../../src/core/model/agent.ts";
import { EMPTY_RUN, reduce } from "../../../../src/core/run/run-state.ts";
import type { RunEvent } from "../../../../src/core/schemas/run-event.ts";
import { type Activity, NO_ACTIVITY } from "../../../../src/view/agents/activity.ts";
import { describeCounts, headline } from "../../../../src/view/agents/doing-now.ts";
import { type AgentView, RunView, type Sight } from "../../../../src/view/agents/run-view.ts";
import { agentJoined, runStarted, T0 } from "../../record/fabricate.ts";

const of = { at: T0, agent: "1" } as const;
const FREE = { usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, costUsd: 0 };
const THINKS = { event: "turn_started", ...of, turn: 3, isLast: false } as const;
const command = (number: number, text: string): RunEvent => {
	const log = `out/000${number}.log`;
	return { event: "command_started", ...of, command: number, text, pid: 7, startTime: "80", log };
};
const RUNS: RunEvent[] = [
	THINKS,
	{ event: "turn_ended", ...of, turn: 3, stopReason: "tool_use", ...FREE },
	command(1, "\n  make -j8\nmake test"),
];
const RETRIES: RunEvent = {
	...{ event: "turn_retrying", ...of, turn: 3, attempt: 6, waitMs: 33_500 },
	...{ reason: "overloaded\u001b[2J\n", ...FREE },
};
const REPEATS: RunEvent = { event: "agent_repeats", ...of, command: 1, times: 6 };
const SLOWED: RunEvent = { event: "calls_slowed", at: T0, reason: "overloaded", waitMs: 45_000, maxCalls: 2 };
const CHILD = agentJoined("1.1", T0, { command: 1 });
const paused = (isHard?: true): RunEvent => ({ event: "agent_paused", ...of, from: null, ...(isHard && { isHard }) });
const queued = (reason: string): RunEvent => ({ event: "turn_queued", ...of, reason });
const listens = (reason?: string): RunEvent => ({ event: "agent_listening", ...of, ...(reason && { reason }) });
const asks: RunEvent = { event: "question_asked", ...of, question: 3, what: { is: "words", text: "which?" } };
const ended = (ending: Ending): RunEvent => ({ event: "agent_ended", ...of, ending });

function viewAfter(events: readonly RunEvent[], sight: Partial<Sight> = {}, id = "1"): AgentView {
	const run = [runStarted(), agentJoined("1", T0), ...events].reduce(reduce, EMPTY_RUN);
	return new RunView({ run, now: T0 + 12_000, ...sight }).agent(id) as AgentView;
}

const seen = (activity: Partial<Activity>): Partial<Sight> => ({ activity: { ...NO_ACTIVITY, ...activity } });
const QUEUE = seen({ places: new Map([["1", 3]]), queued: 25 });
const HELD = seen({ heldSince: new Map([["1", T0 + 10_000]]) });
const HELD_UP = "waiting for the service 2s: no calls for 33 s: overloaded";
const LIMIT: Ending = { by: "limit", limit: "max-turns", reason: "turn limit reached (max-turns 50)" };

interface Case {
	readonly of: string;
	readonly after: readonly RunEvent[];
	readonly sight?: Partial<Sight>;
	/** The word, the detail beside it, and the line of both. */
	readonly says: readonly [word: string, detail: string, line: string];
}

const CASES: readonly Case[] = [
	{ of: "waiting for a slot", after: [], says: ["queued", "", "queued 12s"] },
	{ of: "has a place in the queue", after: [], sight: QUEUE, says: ["queued", "3rd of 25", "queued 12s, 3rd of 25"] },
	{ of: "waits for memory", after: [queued("no\nmemory")], says: ["queued", "no memory", "queued 12s: no memory"] },
	{ of: "thinks", after: [THINKS], says: ["thinking", "turn 3", "thinking 12s, turn 3"] },
	{ of: "writes", after: [THINKS], sight: { says: () => "So" }, says: ["thinking", "So", "thinking 12s, So"] },
	{
		...{ of: "summarizes", after: [{ ...THINKS, purpose: "compaction" }] },
		says: ["thinking", "summarizing older messages, turn 3", "thinking 12s, summarizing older messages, turn 3"],
	},
	{
		...{ of: "waits for its next try", after: [THINKS, RETRIES] },
		says: ["retrying", "6th retry in 22 s: overloaded", "6th retry in 22 s: overloaded"],
	},
	{
		...{ of: "tries again", after: [THINKS, RETRIES], sight: { now: T0 + 40_000 } },
		says: ["retrying", "turn 3, 6th retry", "thinking 40s, turn 3, 6th retry"],
	},
	{ of: "is held up", after: [THINKS, SLOWED], sight: HELD, says: ["thinking", HELD_UP, HELD_UP] },
	{ of: "runs a command", after: RUNS, says: ["running", "$ make -j8", "running 12s, $ make -j8"] },
	{
		...{ of: "runs two commands", after: [...RUNS, command(2, "ls")] },
		says: ["running", "$ make -j8 (+1)", "running 12s, $ make -j8 (+1)"],
	},
	{
		...{ of: "repeats itself", after: [...RUNS, REPEATS] },
		says: ["running", "6× the same: $ make -j8", "running 12s, 6× the same: $ make -j8"],
	},
	{ of: "waits for others", after: [...RUNS, CHILD], says: ["waiting", "1 queued", "waiting 12s, 1 queued"] },
	{
		...{ of: "is paused", after: [...RUNS, paused()] },
		says: ["paused", "$ make -j8", "paused 12s: running 12s, $ make -j8"],
	},
	{
		...{ of: "is frozen", after: [...RUNS, paused(true)] },
		says: ["paused", "commands frozen, $ make -j8", "paused and frozen 12s: running 12s, $ make -j8"],
	},
	{ of: "listens", after: [listens()], says: ["waiting for you", "", "waiting for you 12s"] },
	{
		...{ of: "listens after trouble", after: [listens("no key")] },
		says: ["waiting for you", "no key", "waiting for you 12s: no key"],
	},
	{ of: "asks", after: [...RUNS, asks], says: ["awaiting you", "question 3", "awaiting you 12s, question 3"] },
	{
		...{ of: "has answered", after: [ended({ by: "answer" })], sight: { says: () => "done" } },
		says: ["answered", "done", "ended: answer"],
	},
	{
		...{ of: "has failed", after: [ended({ by: "failure", reason: "no such\nfile", exitCode: 1 })] },
		says: ["failed", "no such file", "ended: failure: no such file"],
	},
	{ of: "met a limit", after: [ended(LIMIT)], says: ["failed", LIMIT.reason, `ended: limit: ${LIMIT.reason}`] },
	{
		...{ of: "was killed", after: [ended({ by: "killed", signal: "SIGKILL" })] },
		says: ["failed", "killed by SIGKILL", "ended: killed by SIGKILL"],
	},
];

test.each(CASES)("an agent that $of", ({ after, sight, says }) => {
	const { word, detail, line } = viewAfter(after, sight);
	expect([word, detail, line]).toEqual(says);
});

test("an agent that is paused with another one says with which, and no time is below zero", () => {
	const child = viewAfter([agentJoined("1.1", T0), paused()], { now: T0 - 5_000 }, "1.1");
	expect([child.phrase, child.forMs, child.ageMs]).toEqual(["paused: with 1", 0, 0]);
});

test("a name is the words in which the task differs from those beside it", () => {
	const events = [3, 7].map((n) => agentJoined(`1.${n}`, T0, { task: `piece ${n} of area linker` }));
	expect(viewAfter(events, {}, "1.7").name).toBe("piece 7");
	expect(viewAfter([agentJoined("1.1", T0, { task: "…" })], {}, "1.1").name).toBe("…");
});

test("what somebody should look at is a problem: a failure, a retry, a silence", () => {
	const problem = (events: readonly RunEvent[], now = T0 + 12_000) => viewAfter(events, { now }).problem;
	expect(problem(RUNS)).toBeUndefined();
	expect(problem([THINKS], T0 + 31_000)).toBe("silent for 31s");
	expect(problem([THINKS, RETRIES])).toBe("6th retry in 22 s: overloaded");
	expect(problem([ended({ by: "crashed", reason: "x" })])).toBe("crashed: x");
	expect(problem([ended({ by: "stopped", reason: "Ctrl-C", signal: 2 })])).toBeUndefined();
});

test.each([
	["done", "done"],
	["\n\n---\n**Fixed** one bug.\n", "Fixed one bug."],
	["# Result:\n\n- *two* files", "Result: *two* files"],
	["# Result", "Result"],
	["> - quoted", "quoted"],
	["…", "…"],
	["", ""],
	["\u001b[31mred\u202e", "red"],
	["x".repeat(1_000_000), "x".repeat(4_000)],
])("the headline of %j", (answer, line) => expect(headline(answer)).toBe(line));

test("counts name what has failed first, and nothing of which there is none", () => {
	const agents = [viewAfter([]), viewAfter([ended({ by: "killed", signal: "SIGKILL" })]), viewAfter([THINKS])];
	expect(describeCounts(countDoings(agents.map(({ agent }) => agent)))).toBe("1 failed, 1 thinking, 1 queued");
	expect(describeCounts(countDoings([]))).toBe("");
});
