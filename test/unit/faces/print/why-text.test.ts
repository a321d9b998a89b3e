import { expect, test } from "vitest";
import { EMPTY_RUN, reduce } from "../../../../src/core/run/run-state.ts";
import type { RunEvent } from "../../../../src/core/schemas/run-event.ts";
import { PLAIN, paintFor } from "../../../../src/faces/print/paint.ts";
import { whyLines } from "../../../../src/faces/print/why-text.ts";
import { stripControl } from "../../../../src/text/safe/terminal-safe.ts";
import { displayWidth } from "../../../../src/text/width/width.ts";
import { activityOf, type CommandActivity } from "../../../../src/view/agents/activity.ts";
import { RunView } from "../../../../src/view/agents/run-view.ts";
import { causesOf } from "../../../../src/view/causes/causes.ts";
import { type Paragraph, silentParagraphs, whyOf, whyParagraphs } from "../../../../src/view/causes/why.ts";
import { agentJoined, runStarted, T0 } from "../../record/fabricate.ts";

const now = T0 + 112_000;
const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
const runs = (agent: string, text: string, pid = 7): RunEvent[] => [
	{ event: "turn_started", at: T0, agent, turn: 1, isLast: false },
	{ event: "turn_ended", at: T0, agent, turn: 1, stopReason: "tool_use", usage, costUsd: 0 },
	{ event: "command_started", at: T0, agent, command: 1, text, pid, startTime: "80", log: "out/0001.log" },
];
const failed = (agent: string): RunEvent => {
	return { event: "agent_ended", at: T0, agent, ending: { by: "failure", reason: "no such file", exitCode: 1 } };
};

function why(events: readonly RunEvent[], agent: string, activities: readonly CommandActivity[] = []): Paragraph[] {
	const all = [runStarted(), ...events];
	const view = new RunView({ run: all.reduce(reduce, EMPTY_RUN), now, activity: activityOf(activities) });
	const told = whyOf(view, agent, causesOf(all, agent, true));
	return [...whyParagraphs(told, view), ...silentParagraphs(told, view, () => "waiting for \u001b[2Jthe lock")];
}

const FLOCK = "flock .lock sleep 100";
const silent: CommandActivity = {
	...{ agent: "1.2.1", command: 1, silentSince: T0 + 2_000, cpuMs: 40 },
	processes: [
		{ pid: 876, name: "bash" },
		{ pid: 913, name: "flock" },
	],
};
const TREE = [
	agentJoined("1", T0, { task: "Fix the compiler: parser and linker" }),
	...runs("1", 'agent "area parser: …" & agent "area linker: …" & wait'),
	agentJoined("1.1", T0, { command: 1, task: "area parser: split it" }),
	agentJoined("1.2", T0, { command: 1, task: "area linker: split it" }),
	...runs("1.2", "agent …"),
	...[7, 8, 9, 10].map((n, at) => agentJoined(`1.2.${at + 1}`, T0, { command: 1, task: `piece ${n} of area linker` })),
	...runs("1.2.1", FLOCK),
	{ event: "turn_started", at: T0 + 60_000, agent: "1.2.2", turn: 1, isLast: false } as const,
	failed("1.2.3"),
	failed("1.2.4"),
];

test("where the chain forks all that live are told as groups, the longest first, with what is silent in full", () => {
	expect(whyLines(why(TREE, "1", [silent]), { paint: PLAIN, columns: undefined })).toMatchInlineSnapshot(`
		[
		  "1 is still running because it is waiting for 1.1, 1.2, the first started at 20:15:30.000",
		  "1.1 parser waits for a slot for 1m52s",
		  "1.2.1 linker/piece 7 runs a silent command for 1m50s, 0.0 s CPU time: $ flock .lock sleep 100",
		  "1.2.2 linker/piece 8 thinks for 52s",
		  "2 have failed: no such file",
		  "  1.2.3 linker/piece 9, 1.2.4 linker/piece 10",
		  "",
		  "1.2.1 linker/piece 7: piece 7 of area linker",
		  "  $ flock .lock sleep 100",
		  "  no output for 1m50s, 0.0 s CPU time, bash (876), flock (913)",
		  "  it printed last: waiting for the lock",
		]
	`);
});

test("on a terminal no line is wider, colors change no letter, and what failed is red", () => {
	const view = { paint: PLAIN, columns: 60 };
	const plain = whyLines(why(TREE, "1", [silent]), view);
	expect(Math.max(...plain.map(displayWidth))).toBeLessThanOrEqual(60);
	const colored = whyLines(why(TREE, "1", [silent]), { ...view, paint: paintFor(undefined, true, undefined) });
	expect(colored.map((line) => stripControl(line))).toEqual(plain);
	expect(colored).toContain("\u001b[31m2 have failed: no such file\u001b[39m");
});

test("a chain that does not fork is told link by link", () => {
	const chain = [
		agentJoined("1", T0),
		...runs("1", "agent x"),
		agentJoined("1.1", T0, { command: 1 }),
		...runs("1.1", "make"),
	];
	expect(whyLines(why(chain, "1"), { paint: PLAIN, columns: undefined })).toEqual([
		"1 is still running because it is waiting for 1.1, which it started at 20:15:30.000",
		"1.1 is still running because it has been running `make` (process 7) since 20:15:30.000",
	]);
});

test("a run that has answered names the agents that failed, and why", () => {
	const ids = ["1.1", "1.2", "1.3", "1.4", "1.5", "1.6", "1.7"];
	const joined = ids.map((id, at) => agentJoined(id, T0, { task: `piece ${at} of the linker` }));
	const answered: RunEvent = { event: "agent_ended", at: T0, agent: "1", ending: { by: "answer" } };
	const events = [agentJoined("1", T0), ...joined, ...ids.map(failed), answered];
	expect(whyLines(why(events, "1"), { paint: PLAIN, columns: 80 })).toEqual([
		"1 answered at 20:15:30.000",
		"7 have failed: no such file",
		"  1.1 piece 0, 1.2 piece 1, 1.3 piece 2, 1.4 piece 3, 1.5 piece 4 and 2 more",
	]);
	const one = [agentJoined("1", T0), agentJoined("1.1", T0), failed("1.1"), answered];
	expect(whyLines(why(one, "1"), { paint: PLAIN, columns: 80 })[1]).toBe("1.1 task of 1.1 has failed: no such file");
});
