/** Seen to fail with the checker that knew only `string`, `number` and `object`, and no inner values. */

import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { RunEvent } from "../../../src/core/schemas/run-event.ts";
import { asEntry, asEvent, EventIndex } from "../../../src/record/read-events.ts";
import { readAgentFile, readRunFile } from "../../../src/record/read-run.ts";
import { createRun } from "../../../src/record/run-writer.ts";
import { toFile } from "../../../src/record/spelling.ts";
import { joined, runStarted, STARTED_AT, turnStarted } from "../../fixtures/dashboard-run.ts";
import { END, EVENTS, TRANSCRIPT } from "../faces/print/recorded-run.ts";
import { agentFile, agentJoined, runFile, T0, temporaryHome } from "./fabricate.ts";

const usage = { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 };
const turnEnded = { event: "turn_ended", at: T0, agent: "1", turn: 1, stopReason: "end_turn", usage, costUsd: 0 };
const commandEnded = {
	...{ event: "command_ended", at: T0, agent: "1", command: 1, end: { by: "exit", code: 0 }, outputBytes: 1 },
	leftRunning: [],
};
const answer = {
	...{ role: "assistant", content: [{ type: "text", text: "hi" }], at: T0, turn: 1, model: "m" },
	...{ stopReason: "end_turn", usage, costUsd: null },
};
const results = {
	...{ role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "x" }], at: T0 },
	commands: [{ command: 1, toolUseId: "a", end: { by: "exit", code: 0 }, outputBytes: 1, log: "out/0001.log" }],
};

test("whatever a supervisor writes is read", () => {
	const more: RunEvent[] = [
		{ event: "agent_repeats", at: T0, agent: "1", command: 3, times: 5 },
		{ event: "shortage_began", at: T0, what: "memory", reason: "9 % free" },
		{ event: "shortage_ended", at: T0, what: "memory" },
		{ event: "child_refused", at: T0, parent: null, code: "depth", reason: "r", task: "t" },
	];
	const events = [...EVENTS, ...END, ...more];
	const entries = [...TRANSCRIPT, answer, results];
	expect(events.map((event) => asEvent(toFile(event)))).toEqual(events);
	expect(entries.map((entry) => asEntry(toFile(entry)))).toEqual(entries);
});

test("what a supervisor wrote in camelCase, in format 1, is read", () => {
	expect([...EVENTS, ...END].map(asEvent)).toEqual([...EVENTS, ...END]);
	expect([...TRANSCRIPT, answer, results].map(asEntry)).toEqual([...TRANSCRIPT, answer, results]);
});

test.each([
	["a cost that is text", { ...turnEnded, costUsd: "x" }],
	["no cost", { ...turnEnded, costUsd: undefined }],
	["tokens that are text", { ...turnEnded, usage: { ...usage, input: "1" } }],
	[
		"tokens without end",
		{ ...turnEnded, usage: JSON.parse('{"input":1e999,"output":0,"cacheRead":0,"cacheWrite":0}') },
	],
	["a time that no date has", { ...turnEnded, at: 1e300 }],
	["an agent that no root is above", { ...turnEnded, agent: "__proto__" }],
	["an ending without its reason", { event: "agent_ended", at: T0, agent: "1", ending: { by: "failure" } }],
	["an ending that nobody knows", { event: "agent_ended", at: T0, agent: "1", ending: { by: "toString" } }],
	["a command's end of the wrong kind", { ...commandEnded, end: { by: "timeout", afterMs: "2 s" } }],
	["processes left that are no list", { ...commandEnded, leftRunning: {} }],
	["a process left without a name", { ...commandEnded, leftRunning: [{ pid: 1 }] }],
	["limits that are texts", { ...agentJoined("1", T0), limits: { maxDepth: "3" } }],
	["limits that are a list", { ...agentJoined("1", T0), limits: [] }],
	["a command that is text", { ...agentJoined("1.1", T0), command: "1" }],
	["a parent that is a number", { event: "child_refused", at: T0, parent: 1, code: "depth", reason: "r", task: "t" }],
	["a text that is none", { event: "run_stopping", at: T0, reason: null }],
	["survivors that are texts", { ...END.at(-1), survivors: ["77"] }],
])("an event with %s is no event", (_, value) => expect(asEvent(value)).toBeUndefined());

test.each([
	["a text block without its text", { ...answer, content: [{ type: "text" }] }],
	["a call without a name", { ...answer, content: [{ type: "tool_use", id: "a", input: {} }] }],
	["a block without a type", { ...answer, content: [{}] }],
	["usage of the wrong kind", { ...answer, usage: { input: "x" } }],
	["a cost that is text", { ...answer, costUsd: "x" }],
	["a result that is no text", { ...results, content: [{ type: "tool_result", tool_use_id: "a", content: 5 }] }],
	["commands that are no list", { ...results, commands: {} }],
	["a command without its end", { ...results, commands: [{ ...results.commands[0], end: undefined }] }],
])("a message with %s is no message", (_, value) => expect(asEntry(value)).toBeUndefined());

test("a block of a kind that came later is a block", () => {
	const entry = { ...answer, content: [{ type: "server_dance" }] };
	expect(asEntry(entry)).toEqual(entry);
});

test.each([
	["task", null],
	["supervisor", 5],
	["supervisor", { pid: "1", start_time: "7" }],
	["supervisor", { pid: -1, start_time: "7" }],
	["limits", []],
	["started_at", "now"],
	["ended_at", "now"],
	["ending", { by: "limit" }],
	["usage", { input: 1 }],
	["cost_usd", "x"],
])("a run.json whose %s is %j is one line that names the key", (key, value) => {
	const home = temporaryHome();
	const { directory } = createRun(home, runFile());
	writeFileSync(join(directory, "run.json"), JSON.stringify({ ...toFile(runFile()), [key]: value }));
	expect(() => readRunFile(directory)).toThrow(`cannot read ${directory}/run.json: "${key}" has the wrong type`);
});

test("an agent.json whose values are of the wrong kind is one line that names the keys", () => {
	const home = temporaryHome();
	const run = createRun(home, runFile());
	run.addAgent(agentFile());
	const path = join(run.directoryOf("1"), "agent.json");
	writeFileSync(path, JSON.stringify({ ...toFile(agentFile()), task: 7, limits: { maxDepth: "3" } }));
	expect(() => readAgentFile(run.directory, "1")).toThrow(`cannot read ${path}: "task", "limits" has the wrong type`);
});

const lineOf = (event: RunEvent) => `${JSON.stringify(toFile(event))}\n`;

function logOf(...events: RunEvent[]) {
	const directory = temporaryHome();
	const path = join(directory, "events.jsonl");
	writeFileSync(path, events.map(lineOf).join(""));
	return { index: new EventIndex(directory), append: (text: string) => appendFileSync(path, text) };
}

function readAll(index: EventIndex, bytes: number): number {
	let reads = 1;
	while (!index.readOn(bytes)) reads++;
	return reads;
}

const AT = STARTED_AT + 5_000;
const LOGGED: RunEvent[] = [
	runStarted(),
	joined("1", 100, "go"),
	joined("1.2", 200, 'a task with "agent":"1.3" in it'),
	turnStarted("1.2", 300),
	{ event: "agent_paused", at: AT, agent: "1", from: null },
	{ event: "child_refused", at: AT, parent: "1.2", code: "depth", reason: "too deep", task: "x" },
	{ event: "message_sent", at: AT, agent: "1.20", from: "1.2", text: "x" },
	{ event: "shortage_ended", at: AT, what: "memory" },
	turnStarted("1", 400),
];

test.each([1, 50, 300, 1_000_000])(
	"the events of an agent are those that its history tells, read %i bytes at a time",
	(bytes) => {
		const { index } = logOf(...LOGGED);
		readAll(index, bytes);
		const [started, one, two, turn, paused, refused, , shortage, first] = LOGGED;
		expect(index.eventsOf("1.2")).toEqual([two, turn, paused, refused]);
		expect(index.eventsOf("1")).toEqual([started, one, two, paused, shortage, first]);
		expect(index.eventsOf("1.3")).toEqual([paused]);
	},
);

test("what is added is read on, a line when it is whole", () => {
	const { index, append } = logOf(...LOGGED);
	readAll(index, 1_000);
	const line = lineOf(turnStarted("1.2", 900, 2));
	append(line.slice(0, 20));
	readAll(index, 1_000);
	expect(index.eventsOf("1.2").length).toBe(4);
	append(line.slice(20));
	readAll(index, 1_000);
	expect(index.eventsOf("1.2").at(-1)).toEqual(turnStarted("1.2", 900, 2));
});

test("a long log is read in as many pieces as were asked for, and a log that is not there has no events", () => {
	const { index } = logOf(...Array.from({ length: 5_000 }, (_, turn) => turnStarted("1", turn, turn)));
	expect(readAll(index, 64 * 1024)).toBeGreaterThan(5);
	expect(index.eventsOf("1").length).toBe(5_000);
	const none = new EventIndex("/nowhere/at/all");
	expect([none.readOn(100), none.eventsOf("1")]).toEqual([true, []]);
});
