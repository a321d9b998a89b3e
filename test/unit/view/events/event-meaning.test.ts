import { expect, test } from "vitest";
import { DEFAULT_LIMITS } from "../../../../src/core/limits/limits.ts";
import type { RunEvent } from "../../../../src/core/run/run-event.ts";
import { meaningOf, newsText } from "../../../../src/view/events/event-meaning.ts";
import { questionNotice } from "../../../../src/view/events/question-meanings.ts";
import { agentJoined, T0 } from "../../record/fabricate.ts";

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
		"left its git worktree, with 2 commits and 1 file not committed",
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
	expect(newsText(meaningOf(refused))).toBe("was refused a child: depth");
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
