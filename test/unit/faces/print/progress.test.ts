import { expect, test } from "vitest";
import type { Ending } from "../../../../src/core/model/agent.ts";
import { NO_USAGE } from "../../../../src/core/model/usage.ts";
import { EMPTY_RUN, reduce } from "../../../../src/core/run/run-state.ts";
import type { RunEvent } from "../../../../src/core/schemas/run-event.ts";
import type { TranscriptEntry } from "../../../../src/core/schemas/transcript.ts";
import { PLAIN, paintFor } from "../../../../src/faces/print/paint.ts";
import { createProgress, EventLines, ProgressLines } from "../../../../src/faces/print/progress.ts";
import { stripControl } from "../../../../src/text/safe/terminal-safe.ts";
import { displayWidth } from "../../../../src/text/width/width.ts";
import { agentJoined, runStarted, T0 } from "../../record/fabricate.ts";
import { END, EVENTS } from "./recorded-run.ts";

const BEGIN = new Date(2026, 10, 27, 20, 0, 0).getTime();

function breaking(attempt: number, afterMs: number, agent = "1"): RunEvent {
	const facts = { turn: 1, waitMs: 1_000, reason: "overloaded", usage: NO_USAGE, costUsd: 0 };
	return { event: "turn_retrying", at: BEGIN + afterMs, agent, attempt, ...facts };
}

function saidAt(level: "none" | "trouble", events: RunEvent[]): string[] {
	const lines: string[] = [];
	const view = { paint: PLAIN, columns: () => undefined };
	const progress = createProgress(level, (line) => lines.push(line), view);
	for (const event of events) progress.onEvent(event, EMPTY_RUN);
	return lines;
}

// Seen to fail with the fourth try in a row taken for trouble, and with the time counted from an earlier call's failure.
test("without a terminal a call that has been breaking for a minute is said, once a minute for the whole run", () => {
	const events = [
		...[breaking(1, 0), breaking(4, 7_000), breaking(5, 59_000), breaking(1, 59_500, "1.1")],
		...[breaking(6, 60_000), breaking(7, 119_000), breaking(2, 119_600, "1.1"), breaking(3, 120_000, "1.1")],
		...[breaking(1, 180_500), breaking(2, 190_000)],
		{ event: "turn_queued", at: BEGIN, agent: "1" } as const,
	];
	expect(saidAt("trouble", events)).toEqual([
		expect.stringContaining("20:01:00.000"),
		expect.stringContaining("20:02:00.000"),
	]);
	expect(saidAt("none", events)).toEqual([]);
});

test("a context that is smaller than was known is said, once for all agents", () => {
	const smaller = (agent: string): RunEvent => ({
		...{
			event: "agent_changed",
			at: BEGIN,
			agent,
			windowTokens: 4096,
			reason: "the service has dropped the beginning",
		},
	});
	const model: RunEvent = {
		event: "agent_changed",
		at: BEGIN,
		agent: "1",
		model: "b",
		windowTokens: 9,
		reason: "gone",
	};
	expect(saidAt("trouble", [model, smaller("1.1"), smaller("1.2")])).toEqual([
		expect.stringMatching(/1\.1.*a context of only 4096 tokens: the service has dropped/),
	]);
});

test("ten tries in five seconds are no trouble that is said", () => {
	expect(
		saidAt(
			"trouble",
			Array.from({ length: 10 }, (_, n) => breaking(n + 1, n * 500)),
		),
	).toEqual([]);
});

const at = T0;
const answer = (text: string): TranscriptEntry => ({
	...{ role: "assistant", content: [{ type: "text", text }], at, turn: 1, model: "shell" },
	...{ stopReason: "end_turn", usage: NO_USAGE, costUsd: 0 },
});
const piece = (n: number) => `piece ${n} of area linker: split it and fix what is broken`;
const ended = (agent: string, ending: Ending): RunEvent => ({ event: "agent_ended", at: at + 5_000, agent, ending });
const started = (agent: string, text: string): RunEvent => {
	return { event: "command_started", at, agent, command: 1, text, pid: 7, startTime: "80", log: "out/0001.log" };
};
const retrying = (agent: string, attempt: number, waitMs: number): RunEvent => {
	const facts = { turn: 1, reason: "overloaded\u001b[2J", usage: NO_USAGE, costUsd: 0.02 };
	return { event: "turn_retrying", at, agent, attempt, waitMs, ...facts };
};

/** The lines of the events; an agent's answer stands before its end. */
function progressOf(events: readonly (RunEvent | [agent: string, said: string])[], view = {}): string[] {
	const lines = new ProgressLines({ paint: PLAIN, columns: () => undefined, ...view });
	let run = EMPTY_RUN;
	return events.flatMap((event) => {
		if (!("event" in event)) {
			lines.onRecord(event[0], answer(event[1]));
			return [];
		}
		run = reduce(run, event);
		return lines.line(event, run) ?? [];
	});
}

const STORY = [
	runStarted({ task: "Fix the linker" }),
	agentJoined("1", at, { task: "Fix the linker" }),
	{ event: "turn_started", at, agent: "1", turn: 1, isLast: false },
	started("1", "for i in 3 7 9; do agent …"),
	agentJoined("1.1", at, { command: 1, task: piece(3) }),
	agentJoined("1.2", at, { command: 1, task: piece(7) }),
	agentJoined("1.2.1", at, { command: 1, task: "Look" }),
	{ event: "turn_started", at, agent: "1.1", turn: 1, isLast: false },
	retrying("1.1", 1, 500),
	retrying("1.1", 6, 33_000),
	started("1.2", "flock .lock sleep 100"),
	{ ...commandEnded("1.2"), end: { by: "exit", code: 1 } },
	{ ...commandEnded("1.2"), end: { by: "timeout", afterMs: 2_000 } },
	["1.1", "# Done\n\nthe **table** is whole"],
	ended("1.1", { by: "answer" }),
	{ event: "turn_failed", at, agent: "1.2", turn: 1, reason: "no such file", usage: NO_USAGE, costUsd: 0 },
	ended("1.2", { by: "failure", reason: "no such file", exitCode: 1 }),
	ended("1.2.1", { by: "stopped", reason: "agent 1.2 above it ended (failure)", signal: 15 }),
	["1", "All is done."],
	ended("1", { by: "answer" }),
	{ event: "run_ended", at: at + 61_000, ending: { by: "answer" }, exitCode: 0, survivors: [] },
] as const satisfies readonly (RunEvent | [string, string])[];

function commandEnded(agent: string) {
	return { event: "command_ended", at: at + 2_000, agent, command: 1, outputBytes: 0, leftRunning: [] } as const;
}

test("what matters is told, a line each, as deep as its agent lies, and by its name", () => {
	expect(progressOf(STORY)).toMatchInlineSnapshot(`
		[
		  "20:15:30  run: 20261127-201530-k3f9, model shell",
		  "20:15:30  1 $ for i in 3 7 9; do agent …",
		  "20:15:30    1.1: started: piece 3 of area linker: split it and fix what is broken",
		  "20:15:30    1.2: started: piece 7 of area linker: split it and fix what is broken",
		  "20:15:30      1.2.1: started: Look",
		  "20:15:30    1.1 piece 3: 6th retry in 33 s: overloaded",
		  "20:15:30    1.2 piece 7 $ flock .lock sleep 100",
		  "20:15:32    1.2 piece 7: command 1 ended: timed out after 2 s",
		  "20:15:35    1.1 piece 3: answered after 5s, $0.0400: Done: the table is whole",
		  "20:15:35    1.2 piece 7: FAILED after 5s: no such file",
		  "20:16:31  run: ended after 1m01s: 1 failed, 2 answered, 1 stopped; $0.0400",
		]
	`);
});

test("on a terminal a long line is cut, and what has failed is red", () => {
	const lines = progressOf(STORY, { columns: () => 50, paint: paintFor(undefined, true, undefined) });
	expect(lines.find((line) => line.includes("1.1: started"))).toBe(
		"20:15:30    1.1: started: piece 3 of area linker:…",
	);
	expect(lines.find((line) => line.includes("FAILED"))).toContain("\u001b[31m: FAILED");
	const plain = progressOf(STORY, { columns: () => 50 });
	expect(plain.filter((line) => line.length > 50)).toEqual([]);
});

test("of many siblings each has a name among the newest of them", () => {
	const events = Array.from({ length: 200 }, (_, n) => agentJoined(`1.${n + 1}`, at, { task: piece(n + 1) }));
	const ends = events.map((_, n) => ended(`1.${n + 1}`, { by: "answer" }));
	const lines = progressOf([agentJoined("1", at), ...events, ...ends]);
	expect(lines.at(-1)).toBe("20:15:35    1.200 piece 200: answered after 5s");
	expect(lines.slice(200, 202)).toEqual([
		"20:15:35    1.1 piece 1: answered after 5s",
		"20:15:35    1.2 piece 2: answered after 5s",
	]);
});

function logOf(columns: number | undefined, paint = PLAIN): string[] {
	const lines = new EventLines({ paint, columns: () => columns });
	return [...EVENTS, ...END].map((event) => lines.line(event));
}

test("an event is a line with how long that took, and what an agent cost", () => {
	expect(logOf(undefined)).toMatchInlineSnapshot(`
		[
		  "20:15:30.000  run     started by supervisor 4100, model shell: count the lines of every folder",
		  "20:15:30.100  1       joined as the root, pid 4101: count the lines",
		  "20:15:30.110  1       waiting for a slot",
		  "20:15:30.120  1       turn 1 started",
		  "20:15:32.120  1       turn 1 ended after 2s: tool_use, 1.2k in / 80 out, $0.0123",
		  "20:15:32.130  1       command 1 started, pid 5001: agent "count src"",
		  "20:15:32.131  1       command 2 started, pid 5002: seq 30; exit 3",
		  "20:15:32.200  1.1     joined by command 1, pid 4111: task of 1.1",
		  "20:15:32.300  1.1     could not start a child: depth limit reached; task: more",
		  "20:15:32.310  1.1     turn 1 started, the last",
		  "20:15:32.400  1.1     turn 1 failed after 90ms: overloaded (1.2k in / 80 out, cost unknown)",
		  "20:15:32.450  1.1     ended after 250ms: failure: overloaded; 1 turn, cost unknown",
		  "20:15:32.500  1       command 1 ended after 370ms: exit status 0, 80 bytes",
		  "20:16:37.131  1       command 2 ended after 1m05s: exit status 3, 80 bytes, left running: sleep (77)",
		  "20:16:37.200  1       cannot take another turn: turn limit reached",
		  "20:16:38.000  1       is stopping: Ctrl-C",
		  "20:16:38.001  run     is stopping: Ctrl-C",
		  "20:16:38.100  1       ended after 1m08s: stopped: Ctrl-C; 1 turn, $0.0123",
		  "20:16:38.200  run     ended after 1m08s: stopped: Ctrl-C, exit code 130, still alive: 77",
		]
	`);
});

test("on a terminal no line is wider, and colors change no letter", () => {
	const colored = logOf(60, paintFor(undefined, true, undefined));
	expect(colored.map((line) => stripControl(line))).toEqual(logOf(60));
	expect(Math.max(...logOf(60).map(displayWidth))).toBe(60);
	expect(colored.find((line) => line.includes("failure"))).toBe(
		"20:15:32.450  1.1     \u001b[31mended after 250ms: failure: overloade…\u001b[39m",
	);
	expect(colored.find((line) => line.includes("1.1     joined"))).not.toContain("\u001b");
});
