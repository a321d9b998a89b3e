import { expect, test } from "vitest";
import type { CommandEnd } from "../../../../src/core/bash-call.ts";
import { NO_USAGE } from "../../../../src/core/model/usage.ts";
import { EMPTY_RUN, reduce } from "../../../../src/core/run/run-state.ts";
import type { CallNote } from "../../../../src/core/schemas/transcript.ts";
import { PLAIN } from "../../../../src/faces/print/paint.ts";
import { EventLines } from "../../../../src/faces/print/progress.ts";
import {
	endingLines,
	itemLines,
	standingLines,
	type TranscriptView,
} from "../../../../src/faces/print/transcript-lines.ts";
import type {
	CommandItem,
	NoteItem,
	SaidItem,
	TranscriptItem,
	TurnItem,
} from "../../../../src/view/transcript/items.ts";
import { agentJoined, runStarted, T0 } from "../../record/fabricate.ts";
import { liveView } from "./live-view.ts";

const usage = { input: 200, output: 80, cacheRead: 900, cacheWrite: 100 };

type Without<T> = T extends unknown ? Omit<T, "key"> : never;

const lines = (item: Without<TranscriptItem>, changes: Partial<TranscriptView> = {}) =>
	itemLines({ key: "k", ...item } as TranscriptItem, liveView({ isOver: true, ...changes }));
const said = (kind: SaidItem["kind"], text: string) => lines({ is: "said", turn: 1, kind, text, state: "whole" });
const noted = (note: NoteItem["note"], text = "", isOfTurn = false) => lines({ is: "note", note, isOfTurn, text });

test("a turn says when it began, how long it took, what it used, and why it ended if not as usual", () => {
	const facts = { at: T0 + 2_000, turn: 2, model: "m", stopReason: "end_turn", usage, costUsd: 0.0123 };
	const answer: TurnItem["answer"] = { role: "assistant", content: [], ...facts };
	const known = {
		is: "turn",
		turn: 2,
		waitedMs: 0,
		retries: [],
		startedAt: T0,
		endedAt: T0 + 2_000,
		end: undefined,
	} as const;
	const title = (item: Partial<TurnItem>, changes: Partial<TranscriptView> = {}) =>
		lines({ ...known, answer: undefined, ...item }, changes)
			.slice(1)
			.join("|");
	const free = { ...answer, usage: NO_USAGE, costUsd: 0 };
	expect(title({ answer })).toBe("turn 2  20:15:30  took 2s, 1.2k in / 80 out, $0.0123");
	expect(title({ answer, startedAt: undefined })).toBe("turn 2  20:15:32  1.2k in / 80 out, $0.0123");
	expect(title({ answer: { ...free, stopReason: "max_tokens" } })).toBe("turn 2  20:15:30  took 2s, max_tokens");
	const failed = { by: "failure", reason: "x", usage: NO_USAGE, costUsd: null } as const;
	expect(title({ end: failed })).toBe("turn 2  20:15:30  failed after 2s, 0 in / 0 out, cost unknown");
	expect(title({ answer }, { columns: 40 })).toBe(
		"turn 2  20:15:30  took 2s, 1.2k in / 80|                  out, $0.0123",
	);
	expect(title({ endedAt: undefined }, { isOver: false })).toBe("turn 2  20:15:30  running for 12s");
	expect(title({ end: { by: "cut_off" } })).toBe("turn 2  20:15:30  cut off after 2s");
});

test("what happened is a line with its time, broken at the terminal's width", () => {
	const text = "turn 2: 1st retry in 1 s:\noverloaded";
	const notice = { is: "notice", at: T0, text, isTrouble: false, isPassing: false, isRetry: true } as const;
	expect(lines(notice, { columns: 40 })).toEqual(["-- 20:15:30  turn 2: 1st retry in 1 s:", "             overloaded"]);
});

test("thinking is told from text without colors", () => {
	expect(said("thinking", "First.\nThen.")).toEqual(["(thinking) First.", "           Then."]);
	expect(said("text", "Done.\n\n")).toEqual(["Done."]);
	expect(said("other", "thinking hidden by the service")).toEqual(["(thinking hidden by the service)"]);
});

test("words are quoted, and a message says whose it is", () => {
	const words = { is: "message", at: T0, from: undefined } as const;
	expect(lines({ ...words, text: "go on\n\nplease" })).toEqual(["", "> go on", "> ", "> please"]);
	expect(lines({ ...words, text: "look", from: "1.2" })).toEqual([
		"",
		"== 20:15:30  message from agent 1.2 ==",
		"> look",
	]);
});

test("a compaction is a mark with both counts, its summary below; a resumption says how the agent had ended", () => {
	const compaction = { role: "note", note: "compaction", at: T0, turn: 3, how: "summary", keptMessages: 4 } as const;
	const summary = "Asked to count.\u001b[2J\nDone: src.\n";
	expect(noted({ ...compaction, summary, tokensBefore: 812_000, tokensAfter: 45_200 }, summary)).toEqual([
		"",
		"== 20:15:30  older messages replaced by a summary: 812.0k → 45.2k tokens ==",
		"   Asked to count.",
		"   Done: src.",
	]);
	expect(noted({ role: "note", note: "resumed", at: T0, reason: "stopped: Ctrl-C" })[1]).toMatch(
		/^== 20:15:30 {2}the agent was stopped here \(Ctrl-C\) and was resumed/,
	);
});

const CALL = { role: "note", note: "call", at: T0, turn: 1, reason: "cut", usage, costUsd: null } as const;

test.each<[Partial<CallNote>, string, string[]]>([
	[{ outcome: "retried" }, "half", ["a call broke off and was retried: cut (1.2k in / 80 out, cost unknown)"]],
	[{ outcome: "failed" }, "half\nof it", ["a call failed: cut (1.2k in / 80 out, cost unknown)", "half", "of it"]],
	[{ outcome: "cancelled", usage: NO_USAGE, costUsd: 0 }, "", ["a call was canceled: cut"]],
	[{ outcome: "compaction", costUsd: 0.01 }, "", ["a call wrote the summary (1.2k in / 80 out, $0.0100)"]],
])("a call that gave no message, %j, is a line", (changes, text, [line, ...below]) => {
	const note = { ...CALL, outcome: "retried", ...changes } as const;
	expect(noted(note, text)).toEqual([`-- 20:15:30  ${line}`, ...below.map((words) => `   ${words}`)]);
});

test("of a call that its turn tells only what had come of its answer is told", () => {
	expect(noted({ ...CALL, outcome: "retried" }, "half", true)).toEqual([]);
	expect(noted({ ...CALL, outcome: "failed" }, "", true)).toEqual([]);
	expect(noted({ ...CALL, outcome: "failed" }, "half", true)).toEqual(["-- 20:15:30  partial answer", "   half"]);
});

test("the cause of an ending is never cut, and an error that stands right above is not told again", () => {
	const reason = `overloaded ${"very ".repeat(30)}much`;
	const ending = { by: "failure", reason, exitCode: 1 } as const;
	const rows = endingLines(ending, T0, { view: liveView({ columns: 60 }) });
	expect(rows.every((row) => row.length <= 60)).toBe(true);
	expect(rows.join(" ").replaceAll(/\s+/g, " ")).toBe(` ended 20:15:30 failure: ${reason}`);
	expect(endingLines(ending, T0, { view: liveView(), known: reason })).toEqual([
		"",
		"ended  20:15:30  failure, by the error above",
	]);
	expect(endingLines(ending, T0, { view: liveView(), known: "another" })[1]).toContain(reason);
});

test("an agent that lives says what it does now", () => {
	const { agents } = [runStarted(), agentJoined("1", T0)].reduce(reduce, EMPTY_RUN);
	expect(agents["1"] && standingLines(agents["1"], liveView())).toEqual(["", "now    20:15:42  queued 12s"]);
});

const GOOD: CommandEnd = { by: "exit", code: 0 };
const COMMAND: Omit<CommandItem, "key"> = {
	...{ is: "command", formerKey: undefined, callId: "a", text: "make", command: 1, state: "ended", end: GOOD },
	...{
		startedAt: T0,
		endedAt: T0 + 3_000,
		result: "",
		isError: undefined,
		recordedAt: T0,
		outputBytes: 9,
		log: "out/0001.log",
	},
	...{ children: [], leftRunning: [] },
};
const command = (changes: Partial<CommandItem>, view: Partial<TranscriptView> = {}) =>
	lines({ ...COMMAND, ...changes }, view);
const numbered = (count: number) => Array.from({ length: count }, (_, n) => `line ${n + 1}`);

test("a command has its output and its end, with the agents that it has started and what it has left running", () => {
	expect(command({ text: "make\nall", result: "A\nB\n", children: ["1.1", "1.2"] })).toEqual([
		...["$ make", "> all", "    A", "    B"],
		"    command 1: exit status 0, 3s, agents 1.1 1.2",
	]);
	const children = Array.from({ length: 12 }, (_, n) => `1.${n + 1}`);
	expect(command({ children }).at(-1)).toMatch(/, agents 1\.1 .* 1\.8 … \(12 in all\)$/);
	expect(command({ leftRunning: [{ pid: 9, name: "sleep" }] }).at(-1)).toMatch(/, 3s, left running: sleep \(9\)$/);
});

test.each([1, 24, 26])("a result of %d lines is shown whole", (count) => {
	const result = numbered(count).join("\n");
	expect(command({ result }).slice(1, -1)).toEqual(numbered(count).map((line) => `    ${line}`));
});

// Seen to fail with the head alone, where what is wrong stands at the end.
test("of a longer result both ends are shown, what is left out is counted, and its file is named", () => {
	const shown = command({ result: `${numbered(300).join("\n")}\n` });
	expect(shown.slice(11, 16)).toEqual([
		...["    line 11", "    line 12", "    … 276 of 300 lines omitted: 1/out/0001.log"],
		...["    line 289", "    line 290"],
	]);
	expect(shown.at(-2)).toBe("    line 300");
	expect(command({ result: numbered(300).join("\n") }, { isWhole: true })).toHaveLength(302);
	expect(command({ result: numbered(300).join("\n"), log: undefined })[13]).toBe(
		"    … 276 of 300 lines omitted: agent show RUN/1 --verbose",
	);
});

test("of a result that the model got without its middle all lines are counted that were printed", () => {
	const middle = (facts: string) => `\n[... the middle is left out${facts} ...]\n`;
	const result = (facts: string) => numbered(100).join("\n") + middle(facts) + numbered(100).join("\n");
	const left = (facts: string) => command({ result: result(facts) })[13];
	expect(left(": 48,894 bytes in 5,000 lines in all; the whole is in /r/1/out/0001.log")).toBe(
		"    … 4976 of 5000 lines omitted: 1/out/0001.log",
	);
	expect(left(", since 2 results share the space; the whole is in /r/1/out/0001.log")).toBe(
		"    … the middle is omitted: 1/out/0001.log",
	);
});

test("of one long line both ends are shown", () => {
	const shown = command({ result: `begin${"x".repeat(9_000)}end` });
	expect(shown[2]).toBe("    … 5008 characters omitted: 1/out/0001.log");
	expect([shown[1]?.slice(0, 9), shown[3]?.slice(-3)]).toEqual(["    begin", "end"]);
});

test("on a terminal a long line goes on in the next row, below its beginning", () => {
	const text = "make one two three four five six";
	expect(command({ text, result: "a long line of output that goes on" }, { columns: 24 })).toEqual([
		...["$ make one two three", "  four five six", "    a long line of", "    output that goes on"],
		...["    command 1: exit", "    status 0, 3s"],
	]);
});

test("of a very long command both ends are shown", () => {
	const shown = command({ text: numbered(200).join("\n") });
	expect(shown[30]).toBe("  … 140 of 200 lines omitted: agent show RUN/1 --verbose");
	expect([shown[29], shown[31]]).toEqual(["> line 30", "> line 171"]);
});

test("a command without a result has the end of its output file, and how it stands", () => {
	const tail = { text: "1\n2\r3\n", isCut: true, bytes: 70_000 };
	const open = {
		result: undefined,
		end: undefined,
		endedAt: undefined,
		outputBytes: undefined,
		state: "running",
	} as const;
	expect(command(open, { isOver: false, tailOf: () => tail })).toEqual([
		...["$ make", "    … 68 KiB earlier omitted: 1/out/0001.log", "    1", "    3"],
		"    command 1: running 12s, 70000 bytes in 1/out/0001.log",
	]);
	expect(command({ ...open, state: "lost" })).toEqual(["$ make", "    command 1: cut off, end unknown"]);
	const long = { text: numbered(40).join("\n"), isCut: false, bytes: 310 };
	expect(command(open, { tailOf: () => long }).slice(1, 3)).toEqual([
		"    … 119 bytes earlier omitted: 1/out/0001.log",
		"    line 17",
	]);
	const waiting = { ...open, state: "waiting", startedAt: undefined, command: undefined, log: undefined } as const;
	expect(command({ ...waiting, state: "lost" }, { isOver: false })).toEqual(["$ make", "    not started"]);
	expect(command(waiting, { isOver: false })).toEqual(["$ make", "    not started yet"]);
});

test("a command that was cut off has what the model was told of it, and its file", () => {
	expect(command({ result: "Interrupted.", end: undefined, state: "lost" })).toEqual([
		...["$ make", "    Interrupted."],
		"    command 1: cut off, end unknown, 9 bytes in 1/out/0001.log",
	]);
	expect(command({ result: "of no call", text: undefined, command: undefined, end: undefined })).toEqual([
		"    of no call",
	]);
});

test.each([
	[{ by: "signal", signal: "SIGKILL" }, "    command 1: killed by SIGKILL, 3s"],
	[{ by: "timeout", afterMs: 120_000 }, "    command 1: timed out after 120 s, 3s"],
	[{ by: "not_started", reason: "no \u001b[2Jbash" }, "    command 1: not started: no bash, 3s"],
] satisfies [CommandEnd, string][])("a command that ended by %j says so", (end, line) => {
	expect(command({ end }).at(-1)).toBe(line);
});

test("nothing that a terminal obeys comes out of what agents say", () => {
	const evil = "\u001b]52;c;aGk=\u0007\u001b[2J\u009b1m\rx\u0008";
	const all = [
		...(["text", "thinking", "other"] as const).flatMap((kind) => said(kind, evil)),
		...lines({ is: "message", at: T0, text: evil, from: evil }),
		...lines({ is: "notice", at: T0, text: evil, isTrouble: true, isPassing: false, isRetry: false }),
		...command({
			text: evil,
			result: evil,
			end: { by: "stopped", reason: evil },
			leftRunning: [{ pid: 1, name: evil }],
		}),
		...endingLines({ by: "crashed", reason: evil }, T0, { view: liveView() }),
		new EventLines({ paint: PLAIN, columns: () => undefined }).line({
			...{ event: "agent_stopping", at: T0, agent: "1", reason: evil },
		}),
	];
	expect(all.join("")).not.toMatch(/[\u0000-\u0008\u000a-\u001f\u007f-\u009f]/);
});
