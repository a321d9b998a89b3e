import { expect, test } from "vitest";
import { DEFAULT_LIMITS } from "../../../../src/core/limits/limits.ts";
import type { RunEvent } from "../../../../src/core/schemas/run-event.ts";
import { type EventFacts, EventFactsBuilder } from "../../../../src/view/events/event-facts.ts";
import { meaningOf, newsText } from "../../../../src/view/events/meanings.ts";
import { questionNotice } from "../../../../src/view/events/question-meanings.ts";
import { agentJoined, runStarted, T0 } from "../../record/fabricate.ts";

const of = { at: T0, agent: "1" } as const;
const FREE = { usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, costUsd: 0 };
const retrying = {
	event: "turn_retrying",
	...of,
	turn: 2,
	attempt: 1,
	reason: "overloaded (HTTP 529)",
	...FREE,
} as const;
const own = { path: "/w/x", cwd: "/w/x", origin: "/p", repository: "/p/.git", branch: "agentree/x", base: "0" };
const todo = (...items: [string, "open" | "doing" | "done"][]): RunEvent => {
	return { event: "todo_changed", ...of, items: items.map(([text, is]) => ({ text, is })) };
};

test.each<[RunEvent, string]>([
	[{ ...retrying, waitMs: 3_000 }, "turn 2: 1st retry in 3 s: overloaded (HTTP 529)"],
	[{ ...retrying, waitMs: 0 }, "turn 2: retrying immediately: overloaded (HTTP 529)"],
	[{ event: "agent_listening", ...of }, "waiting for you"],
	[{ event: "agent_interrupted", ...of, from: null }, "was interrupted by you"],
	[{ event: "message_unheard", ...of, from: null, text: "no" }, "ended before it received the message from you: no"],
	[{ event: "message_withdrawn", ...of, text: "no" }, "will not get the withdrawn message: no"],
	[
		{ event: "agent_changed", ...of, model: "m", effort: "low", limits: DEFAULT_LIMITS },
		"changed to model m, effort low; limits updated",
	],
	[{ event: "agent_changed", ...of }, "settings unchanged"],
	[{ event: "agent_changed", ...of, model: "b/m", reason: "overloaded" }, "changed to model b/m"], // the failed call tells why
	[
		{ event: "agent_changed", ...of, windowTokens: 4096, reason: "it is small" },
		"has a context of only 4096 tokens: it is small",
	],
	[todo(), "cleared its plan"],
	[todo(["a", "open"]), "plan 0/1, next: a"],
	[todo(["a", "done"], ["b", "doing"]), "plan 1/2: b"],
	[{ event: "tree_kept", ...of, id: 3, top: "/p", tookMs: 5 }, "saved the files of /p as state 3"],
	[
		{ event: "tree_kept", ...of, id: 3, top: "/p", tookMs: 5, notice: "1 repository inside (a/)" },
		"saved the files of /p as state 3, without 1 repository inside (a/)",
	],
	[
		{ event: "tree_not_kept", ...of, reason: "git is not installed" },
		"could not save its files, so undo will not work: git is not installed",
	],
	[{ event: "worktree_begun", ...of, ...own }, "works in a git worktree: /w/x, on branch agentree/x"],
	[
		{ event: "worktree_kept", ...of, commits: 2, files: 1 },
		"left a git worktree behind, with 2 commits and 1 file not committed",
	],
	[{ event: "worktree_removed", ...of }, "removed its git worktree, which had no changes"],
])("the event %j reads: %s", (event, text) => expect(meaningOf(event).text).toBe(text));

const commandEnded = (end: Extract<RunEvent, { event: "command_ended" }>["end"]): RunEvent => {
	return { event: "command_ended", ...of, command: 1, end, outputBytes: 0, leftRunning: [] };
};
const ended = (by: "answer" | "crashed" | "stopped"): RunEvent => {
	const ending = by === "answer" ? { by } : by === "crashed" ? { by, reason: "x" } : { by, reason: "x", signal: 15 };
	return { event: "agent_ended", ...of, ending };
};

test.each<[string, RunEvent, "bad" | "warn" | undefined]>([
	["an agent that joins", agentJoined("1", T0), undefined],
	["an answer", ended("answer"), undefined],
	["a crash", ended("crashed"), "bad"],
	["an agent that was stopped", ended("stopped"), "warn"],
	["a command that went well", commandEnded({ by: "exit", code: 0 }), undefined],
	["an exit status, which may mean anything", commandEnded({ by: "exit", code: 1 }), "warn"],
	["a command that was killed", commandEnded({ by: "signal", signal: "SIGKILL" }), "bad"],
	["a command that took too long", commandEnded({ by: "timeout", afterMs: 1 }), "bad"],
	["a shortage", { event: "shortage_began", at: T0, what: "memory", reason: "x" }, "warn"],
])("the tone of %s", (_, event, tone) => expect(meaningOf(event).tone).toBe(tone));

test("news are shorter than the sentence of the log, without what a service adds to its words", () => {
	expect(newsText(meaningOf({ ...retrying, waitMs: 3_000 }))).toBe("1st retry in 3 s: overloaded");
	const refused = { event: "child_refused", at: T0, parent: "1", code: "depth", reason: "", task: "more" } as const;
	expect(newsText(meaningOf(refused))).toBe("could not start a child: depth");
	expect(newsText(meaningOf(ended("crashed"), { tookMs: 5_000, spent: { turns: 1, costUsd: 0.04 } }))).toBe(
		"CRASHED after 5s, $0.0400: x",
	);
});

// Seen to fail: the reason and the command ran together.
test("what an agent asks, why, and what answers it are told apart in one line", () => {
	const what = { is: "words", text: "which port?", choices: ["80", "8080"] } as const;
	const asked = { event: "question_asked", ...of, question: 1, what, why: "both free" } as const;
	expect(questionNotice(asked, { command: "/answer" })).toBe(
		"agent 1 asks you (question 1): which port? (80, 8080); reason: both free; answer with /answer 1 80",
	);
});

const usage = { input: 200, output: 80, cacheRead: 900, cacheWrite: 100 };
const answered = { stopReason: "end_turn", usage, costUsd: 0.01 };
const turn = { agent: "1", turn: 1 };

/** The facts of those events that have some, by the event's name. */
function factsOf(events: readonly RunEvent[]): [string, EventFacts][] {
	const builder = new EventFactsBuilder();
	const told = events.map((event): [string, EventFacts] => [event.event, builder.note(event)]);
	return told.filter(([, facts]) => Object.keys(facts).length > 0);
}

function commandStarts(command: number, at: number): RunEvent {
	const log = `out/000${command}.log`;
	return { event: "command_started", at, agent: "1", command, text: "make", pid: 7, startTime: "80", log };
}

function commandEnds(command: number, at: number): RunEvent {
	return {
		event: "command_ended",
		at,
		agent: "1",
		command,
		end: { by: "exit", code: 0 },
		outputBytes: 0,
		leftRunning: [],
	};
}

test("what ends has taken the time since it began, and an agent has spent what its calls cost", () => {
	const retried: RunEvent = {
		event: "turn_retrying",
		at: T0 + 6,
		...turn,
		attempt: 1,
		waitMs: 5,
		reason: "x",
		usage,
		costUsd: 0.02,
	};
	const events: RunEvent[] = [
		runStarted(),
		agentJoined("1", T0 + 1),
		{ event: "turn_queued", at: T0 + 2, agent: "1" },
		{ event: "turn_started", at: T0 + 5, ...turn, isLast: false },
		retried,
		{ event: "turn_ended", at: T0 + 12, ...turn, ...answered },
		commandStarts(1, T0 + 13),
		commandStarts(2, T0 + 14),
		commandEnds(2, T0 + 20),
		commandEnds(1, T0 + 113),
		{ event: "turn_started", at: T0 + 120, ...turn, turn: 2, isLast: false },
		{ event: "turn_failed", at: T0 + 121, ...turn, turn: 2, reason: "x", usage, costUsd: 0 },
		{ event: "agent_ended", at: T0 + 131, agent: "1", ending: { by: "failure", reason: "x", exitCode: 1 } },
		{ event: "run_ended", at: T0 + 140, ending: { by: "answer" }, exitCode: 0, survivors: [] },
	];
	expect(factsOf(events)).toEqual([
		["turn_started", { tookMs: 3 }],
		["turn_ended", { tookMs: 7 }],
		["command_ended", { tookMs: 6 }],
		["command_ended", { tookMs: 100 }],
		["turn_failed", { tookMs: 1 }],
		["agent_ended", { tookMs: 130, spent: { turns: 2, costUsd: 0.03 } }],
		["run_ended", { tookMs: 140 }],
	]);
});

test("a call without a known price makes what its agent has spent unknown, and a summary is no turn", () => {
	const events: RunEvent[] = [
		agentJoined("1", T0),
		{ event: "turn_started", at: T0, ...turn, isLast: false, purpose: "compaction" },
		{ event: "turn_ended", at: T0, ...turn, ...answered, costUsd: null, purpose: "compaction" },
		{ event: "agent_ended", at: T0, agent: "1", ending: { by: "answer" } },
	];
	expect(factsOf(events).at(-1)).toEqual(["agent_ended", { tookMs: 0, spent: { turns: 0, costUsd: null } }]);
});

test("what began before the first event, or after its end by a clock that was set back, has no time that is made up", () => {
	const events: RunEvent[] = [
		commandEnds(1, T0),
		{ event: "turn_ended", at: T0, ...turn, ...answered },
		{ event: "agent_ended", at: T0, agent: "1", ending: { by: "answer" } },
		{ event: "run_ended", at: T0, ending: { by: "answer" }, exitCode: 0, survivors: [] },
	];
	expect(factsOf(events)).toEqual([]);
	expect(factsOf([agentJoined("1", T0), commandStarts(1, T0), commandEnds(1, T0 - 5)])).toEqual([
		["command_ended", { tookMs: 0 }],
	]);
});
