import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { RunEvent } from "../../../src/core/run/run-event.ts";
import { EventIndex } from "../../../src/record/read-events.ts";
import { toFile } from "../../../src/record/spelling.ts";
import { joined, runStarted, STARTED_AT, turnStarted } from "../../fixtures/dashboard-run.ts";
import { temporaryHome } from "./fabricate.ts";

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

const at = STARTED_AT + 5_000;
const EVENTS: RunEvent[] = [
	runStarted(),
	joined("1", 100, "go"),
	joined("1.2", 200, 'a task with "agent":"1.3" in it'),
	turnStarted("1.2", 300),
	{ event: "agent_paused", at, agent: "1", from: null },
	{ event: "child_refused", at, parent: "1.2", code: "depth", reason: "too deep", task: "x" },
	{ event: "message_sent", at, agent: "1.20", from: "1.2", text: "x" },
	{ event: "shortage_ended", at, what: "memory" },
	turnStarted("1", 400),
];

test.each([1, 50, 300, 1_000_000])(
	"the events of an agent are those that its history tells, read %i bytes at a time",
	(bytes) => {
		const { index } = logOf(...EVENTS);
		readAll(index, bytes);
		const [started, one, two, turn, paused, refused, , shortage, first] = EVENTS;
		expect(index.eventsOf("1.2")).toEqual([two, turn, paused, refused]);
		expect(index.eventsOf("1")).toEqual([started, one, two, paused, shortage, first]);
		expect(index.eventsOf("1.3")).toEqual([paused]);
	},
);

test("what is added is read on, a line when it is whole", () => {
	const { index, append } = logOf(...EVENTS);
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
