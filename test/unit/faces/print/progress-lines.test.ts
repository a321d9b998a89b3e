import { expect, test } from "vitest";
import type { Ending } from "../../../../src/core/model/agent.ts";
import type { TranscriptEntry } from "../../../../src/core/model/transcript.ts";
import { NO_USAGE } from "../../../../src/core/model/usage.ts";
import type { RunEvent } from "../../../../src/core/run/run-event.ts";
import { EMPTY_RUN, reduce } from "../../../../src/core/run/run-state.ts";
import { PLAIN, paintFor } from "../../../../src/faces/print/paint.ts";
import { ProgressLines } from "../../../../src/faces/print/progress.ts";
import { agentJoined, runStarted, T0 } from "../../record/fabricate.ts";

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
function linesOf(events: readonly (RunEvent | [agent: string, said: string])[], view = {}): string[] {
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
	expect(linesOf(STORY)).toMatchInlineSnapshot(`
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
	const lines = linesOf(STORY, { columns: () => 50, paint: paintFor(undefined, true, undefined) });
	expect(lines.find((line) => line.includes("1.1: started"))).toBe(
		"20:15:30    1.1: started: piece 3 of area linker:…",
	);
	expect(lines.find((line) => line.includes("FAILED"))).toContain("\u001b[31m: FAILED");
	const plain = linesOf(STORY, { columns: () => 50 });
	expect(plain.filter((line) => line.length > 50)).toEqual([]);
});

test("of many siblings each has a name among the newest of them", () => {
	const events = Array.from({ length: 200 }, (_, n) => agentJoined(`1.${n + 1}`, at, { task: piece(n + 1) }));
	const ends = events.map((_, n) => ended(`1.${n + 1}`, { by: "answer" }));
	const lines = linesOf([agentJoined("1", at), ...events, ...ends]);
	expect(lines.at(-1)).toBe("20:15:35    1.200 piece 200: answered after 5s");
	expect(lines.slice(200, 202)).toEqual([
		"20:15:35    1.1 piece 1: answered after 5s",
		"20:15:35    1.2 piece 2: answered after 5s",
	]);
});
