/** Reading through an output that is longer than what is kept of it in memory. */

import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { TranscriptEntry } from "../../../../src/core/schemas/transcript.ts";
import { sizeAt } from "../../../../src/faces/dashboard/layout.ts";
import { windowLines } from "../../../../src/faces/dashboard/panes/transcript/block-window.ts";
import { transcriptPane } from "../../../../src/faces/dashboard/panes/transcript/transcript.ts";
import { windowOf } from "../../../../src/faces/dashboard/panes/transcript/transcript-window.ts";
import { LISTED_KEYS } from "../../../../src/faces/dashboard/panes.ts";
import { emptyTranscript } from "../../../../src/faces/dashboard/scene/agent-transcript.ts";
import { type Picture, sceneOf } from "../../../../src/faces/dashboard/scene/scene.ts";
import { FIRST_UI } from "../../../../src/faces/dashboard/scene/ui-state.ts";
import { TranscriptReader } from "../../../../src/faces/dashboard/transcript-reader.ts";
import { type Input, update } from "../../../../src/faces/dashboard/update.ts";
import { RecordedRun } from "../../../../src/record/run-source.ts";
import { toFile } from "../../../../src/record/spelling.ts";
import { NO_ACTIVITY } from "../../../../src/view/agents/activity.ts";
import {
	answered,
	asked,
	calls,
	commandStarted,
	joined,
	replay,
	resulted,
	runStarted,
	STARTED_AT,
} from "../../../fixtures/dashboard-run.ts";
import { keyed } from "../../../fixtures/keyed.ts";
import { cpuMs } from "../../cpu-ms.ts";
import { agentFile } from "../../record/fabricate.ts";

const LINES = 200_000;

function reader(files: { log?: string; transcript?: readonly TranscriptEntry[] }) {
	const directory = mkdtempSync(join(tmpdir(), "agentree-needed-"));
	mkdirSync(join(directory, "1/out"), { recursive: true });
	if (files.log !== undefined) writeFileSync(join(directory, "1/out/0001.log"), files.log);
	const lines = (files.transcript ?? []).map((entry) => `${JSON.stringify(toFile(entry))}\n`);
	writeFileSync(join(directory, "1/transcript.jsonl"), lines.join(""));
	const events = [runStarted("go"), joined("1", 100, "go"), commandStarted("1", 200, "seq", 1)];
	writeFileSync(join(directory, "events.jsonl"), events.map((event) => `${JSON.stringify(toFile(event))}\n`).join(""));
	writeFileSync(join(directory, "1/agent.json"), JSON.stringify(toFile(agentFile({ task: "the task" }))));
	let picture: Picture = {
		...{ run: replay(events), ui: { ...FIRST_UI, side: "transcript", isZoomed: true }, events: [] },
		...{ transcript: emptyTranscript("1"), activity: NO_ACTIVITY, isLost: false },
		...{ size: { columns: 80, rows: 204 }, now: STARTED_AT + 9_000 },
	};
	const give = (input: Input) => {
		picture = update(picture, input).picture;
	};
	let now = STARTED_AT + 9_000;
	const all = new TranscriptReader({
		record: new RecordedRun(directory),
		onInput: give,
		onError: (error) => {
			throw error;
		},
		now: () => now,
	});
	all.focus("1", picture.run);
	onTestFinished(() => {
		all.stop();
		rmSync(directory, { recursive: true });
	});
	const read = () => {
		now += 1;
		all.readGrowth(() => picture);
		all.readNeeded(() => picture);
	};
	read();
	const rows = () => {
		const scene = sceneOf(picture, LISTED_KEYS);
		const window = windowOf(scene, sizeAt(transcriptPane.place, scene));
		return windowLines(window, picture.ui.scroll).map((line) => line.map(({ text }) => text).join(""));
	};
	return {
		press: (key: string) => {
			give({ is: "key", key: keyed(key) });
			read();
		},
		rows,
		/** Something more is recorded. */
		add: (...added: readonly TranscriptEntry[]) => {
			const text = added.map((entry) => `${JSON.stringify(toFile(entry))}\n`).join("");
			appendFileSync(join(directory, "1/transcript.jsonl"), text);
			read();
		},
		/** The numbers of the lines of output in the window. */
		numbers: () =>
			rows()
				.flatMap((row) => /^│ (\d+)/.exec(row)?.[1] ?? [])
				.map(Number),
		pages: () => picture.transcript.outputs.get(1)?.pages.length ?? 0,
		transcript: () => picture.transcript,
	};
}

const LOG = Array.from({ length: LINES }, (_, line) => `${line} ${"x".repeat(70)}\n`).join("");

/** Each page of the screen follows on the one before, and no more than some is in memory. */
function expectSteady(read: ReturnType<typeof reader>, key: "pageup" | "pagedown", times: number): void {
	let before = read.numbers();
	for (let page = 0; page < times; page++) {
		read.press(key);
		const numbers = read.numbers();
		const first = numbers[0] ?? -1;
		expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, at) => first + at));
		if (key === "pageup") expect(numbers.at(-1)).toBe(before[0]);
		else expect(first).toBe(before.at(-1));
		before = numbers;
	}
	expect(read.pages()).toBeLessThanOrEqual(48);
}

test("a page of the screen at a time an output of many MiB is read from its end up, and back to the end", () => {
	const read = reader({ log: LOG });
	expect(read.numbers().at(-1)).toBe(LINES - 1);
	expectSteady(read, "pageup", 400);
	expectSteady(read, "pagedown", 100);
	read.press("end");
	expect(read.numbers().at(-1)).toBe(LINES - 1);
});

test("from its beginning down", () => {
	const read = reader({ log: LOG });
	read.press("home");
	expect(read.numbers()[0]).toBe(0);
	read.press("pagedown"); // over what stands above the output
	expectSteady(read, "pagedown", 200);
	read.press("home");
	expect(read.numbers()[0]).toBe(0);
});

test("an output without an end of line is read as well", () => {
	const read = reader({ log: "0123456789".repeat(300_000) });
	const text = () =>
		read
			.rows()
			.flatMap((row) => /^│ (\d+)/.exec(row)?.[1] ?? [])
			.join("");
	for (let page = 0; page < 60; page++) {
		read.press("pageup");
		const digits = text();
		expect(digits).toBe("0123456789".repeat(digits.length).slice(Number(digits[0])).slice(0, digits.length));
		expect(digits.length).toBeGreaterThan(10_000);
	}
});

test("output that takes no rows is passed over", () => {
	const read = reader({ log: `begin\n${"\u001b[31m\u001b[0m".repeat(60_000)}\nend\n` });
	for (let page = 0; page < 5; page++) read.press("pageup");
	expect(read.rows().join("\n")).toMatch(/│ begin[\s\S]*│ end/);
});

test("a transcript of more than 8 MiB is read up to its beginning when somebody goes there", () => {
	const entries = [
		asked("the task"),
		...Array.from({ length: 900 }, (_, at) =>
			answered(at + 1, [{ type: "text", text: `${at} ${"y".repeat(20_000)}` }]),
		),
	];
	const read = reader({ transcript: entries });
	expect(read.transcript().unreadBytes).toBeGreaterThan(8 * 1024 * 1024);
	const turn = () =>
		read
			.rows()
			.find((row) => row.startsWith("turn"))
			?.split(" ")[1];
	read.press("pageup");
	const top = read.rows()[0];
	read.press("home");
	for (let reads = 0; read.transcript().unreadBytes > 0; reads++) {
		expect(reads).toBeLessThan(10);
		read.press("home");
	}
	expect([read.rows()[0], turn()]).toEqual(["the task", "1"]);
	expect([...read.transcript().settled, ...read.transcript().newest].filter(({ is }) => is === "turn")).toHaveLength(
		900,
	);
	expect(top).toMatch(/^ {2}y+$/);
});

// Some 35 ms for each turn, most of them for the frame; seen to take seconds when all items were made again.
test("what is added to a transcript of 15,000 items costs little, and stands at its end", () => {
	const turn = (at: number) => [
		answered(at, [{ type: "text", text: `**answer** ${at}` }, calls(`t${at}`, "cat file")]),
		resulted(`t${at}`, at + 1, `output ${at}\n`),
	];
	const read = reader({
		transcript: [asked("the task"), ...Array.from({ length: 5_000 }, (_, at) => turn(at + 1)).flat()],
	});
	const { settled, newest } = read.transcript();
	expect(settled.length + newest.length).toBeGreaterThanOrEqual(15_000);
	const ms = cpuMs(() => {
		for (let more = 5_001; more <= 5_020; more++) {
			read.add(...turn(more));
			expect(read.rows().join("\n")).toContain(`│ output ${more}`);
		}
	});
	expect(ms / 20).toBeLessThan(400);
});
