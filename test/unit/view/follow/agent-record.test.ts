import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { RunEvent } from "../../../../src/core/schemas/run-event.ts";
import type { TranscriptEntry } from "../../../../src/core/schemas/transcript.ts";
import { toFile } from "../../../../src/record/spelling.ts";
import { AgentRecord } from "../../../../src/view/follow/agent-record.ts";
import type { RecordItem } from "../../../../src/view/transcript/merge.ts";
import { recordRun } from "../../faces/print/recorded-run.ts";
import { T0, temporaryHome } from "../../record/fabricate.ts";

function recordOf() {
	const directory = recordRun(temporaryHome(), { events: [] });
	const transcript = join(directory, "1", "transcript.jsonl");
	writeFileSync(transcript, "");
	const damage: string[] = [];
	const record = new AgentRecord({ directory, agent: "1", damaged: (what) => damage.push(what) });
	const event = (at: number): RunEvent => ({ event: "turn_queued", at: T0 + at, agent: "1" });
	const entry = (at: number): TranscriptEntry => ({ role: "user", at: T0 + at, content: [] });
	const line = (value: object) => `${JSON.stringify(toFile(value))}\n`;
	return {
		...{ record, damage, transcript },
		events: (...ats: number[]) =>
			appendFileSync(join(directory, "events.jsonl"), ats.map((at) => line(event(at))).join("")),
		entries: (...ats: number[]) => appendFileSync(transcript, ats.map((at) => line(entry(at))).join("")),
		next: () => record.next().map(inWords),
	};
}

function inWords(item: RecordItem): string {
	return `${item.is} ${(item.is === "event" ? item.event : item.entry).at - T0}`;
}

test("what is recorded is given with all events before it, and what comes then in the order of its times", () => {
	const { record, events, entries, next } = recordOf();
	events(10, 20);
	entries(5, 15);
	expect([...record.recorded()].flat().map(inWords)).toEqual(["entry 5", "event 10", "entry 15", "event 20"]);
	expect(next()).toEqual([]);
	events(30, 50);
	entries(30, 40, 60);
	expect(next()).toEqual(["event 30", "entry 30", "entry 40", "event 50", "entry 60"]);
	expect([next(), record.isBehind]).toEqual([[], false]);
});

test("each of both keeps its own order, also when the system's time was set back", () => {
	const { record, events, entries, next } = recordOf();
	expect([...record.recorded()].flat()).toEqual([]);
	events(30, 10, 20);
	entries(40, 5);
	expect(next()).toEqual(["event 30", "event 10", "event 20", "entry 40", "entry 5"]);
});

test("a torn line is given when it is whole, and one that is no message is said", () => {
	const { record, damage, transcript, next } = recordOf();
	expect([...record.recorded()].flat()).toEqual([]);
	const line = `${JSON.stringify({ role: "user", at: T0 + 5, content: [] })}\n`;
	appendFileSync(transcript, `nonsense\n${line.slice(0, 10)}`);
	expect([next(), damage]).toEqual([[], ["transcript.jsonl: skipped a line that is not a message"]]);
	appendFileSync(transcript, line.slice(10));
	expect(next()).toEqual(["entry 5"]);
});
