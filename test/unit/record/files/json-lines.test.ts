import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isTorn, jsonLines, linesBefore, newestLines } from "../../../../src/record/files/json-lines.ts";
import { asEntry, asEvent } from "../../../../src/record/read-events.ts";
import { agentJoined, T0, temporaryHome } from "../fabricate.ts";

test.each([
	["an empty file", "", [], []],
	["whole lines", '{"a":1}\n{"a":2}\n', [{ a: 1 }, { a: 2 }], []],
	["empty lines", '\n{"a":1}\n\n', [{ a: 1 }], []],
	["a torn last line", '{"a":1}\n{"a":', [{ a: 1 }], ["x.jsonl line 2: the last line is torn, dropped"]],
	["a last line that lost only its line feed", '{"a":1}\n{"a":2}', [{ a: 1 }, { a: 2 }], []],
	[
		"a last line that may have been longer",
		'{"a":1}\n12',
		[{ a: 1 }],
		["x.jsonl line 2: the last line is torn, dropped"],
	],
	[
		"a bad line in the middle",
		'{"a":1}\n{"a"\n{"a":3}\n',
		[{ a: 1 }, { a: 3 }],
		["x.jsonl line 2: not valid JSON, skipped"],
	],
	[
		"NULs in the middle",
		'{"a":1}\n\0\0\0\n{"a":3}\n',
		[{ a: 1 }, { a: 3 }],
		["x.jsonl line 2: contains NUL bytes, skipped"],
	],
])("of %s all that can be read is read and the rest is said", (_, text, values, damage) => {
	const path = join(temporaryHome(), "x.jsonl");
	writeFileSync(path, text);
	expect(readJsonLines(path)).toEqual({ values, damage });
});

test("a line that spans many reads, with characters cut by them, is whole", () => {
	const path = join(temporaryHome(), "x.jsonl");
	const values = [{ text: "é日😀".repeat(50_000) }, { text: "short" }, { text: "x".repeat(65_536) }];
	writeFileSync(path, values.map((value) => `${JSON.stringify(value)}\n`).join(""));
	expect(readJsonLines(path)).toEqual({ values, damage: [] });
});

test("a line that is too long is skipped and said, and the next one is read", () => {
	// Seen to fail with the memory full: a file of one endless line was held whole.
	const path = join(temporaryHome(), "x.jsonl");
	writeFileSync(path, `{"a":1}\n"${"x".repeat(200_000)}"\n{"a":3}\n`);
	const lines = [...jsonLines(path, 100_000)].map((line) => (line.is === "value" ? line.value : line.what));
	expect(lines).toEqual([{ a: 1 }, "x.jsonl line 2: more than 97 KiB, skipped", { a: 3 }]);
});

test("a missing file is said, with its path", () => {
	const path = join(temporaryHome(), "x.jsonl");
	expect(readJsonLines(path)).toEqual({ values: [], damage: [`x.jsonl is missing (${path})`] });
});

// Seen to fail with EISDIR from the first read.
test("a directory in the file's place is said, with its path", () => {
	const path = join(temporaryHome(), "x.jsonl");
	mkdirSync(path);
	expect(readJsonLines(path)).toEqual({ values: [], damage: [`cannot read ${path}: it is a directory`] });
});

test.each([
	["text", "hi"],
	["null", null],
	["an unknown event", { event: "agent_flew", at: 1, agent: "1" }],
	["a name that objects inherit", { event: "toString", at: 1 }],
	["an event without its time", { event: "turn_queued", agent: "1" }],
	[
		"an event without what it needs",
		{ event: "turn_ended", at: 1, agent: "1", turn: 1, stopReason: "end_turn", usage: null },
	],
])("%s is no event", (_, value) => expect(asEvent(value)).toBeUndefined());

test("an event with keys that came later is an event, without them", () => {
	expect(asEvent({ ...agentJoined("1", T0), mood: "good" })).toEqual(agentJoined("1", T0));
});

test.each([
	["a message of another role", { role: "system", content: [], at: 1 }],
	["a message whose content is text", { role: "user", content: "hi", at: 1 }],
	["a message with a block that is none", { role: "user", content: [null], at: 1 }],
	["an answer without usage", { role: "assistant", content: [], at: 1 }],
])("%s is no line of a transcript", (_, value) => expect(asEntry(value)).toBeUndefined());

function readJsonLines(path: string): { values: unknown[]; damage: string[] } {
	const lines = [...jsonLines(path)];
	return {
		values: lines.flatMap((line) => (line.is === "value" ? [line.value] : [])),
		damage: lines.flatMap((line) => (line.is === "damage" ? [line.what] : [])),
	};
}

function fileOf(text: string): string {
	const path = join(temporaryHome(), "transcript.jsonl");
	writeFileSync(path, text);
	return path;
}

test("the last lines come newest first, whole, within the bytes that are asked for", () => {
	expect([...newestLines(fileOf("one\ntwo\nthree\n"), 100)]).toEqual(["three", "two", "one"]);
	expect([...newestLines(fileOf("one\ntwo\nthree\n"), 11)]).toEqual(["three", "two"]);
	expect([...newestLines(fileOf("one\ntwo\nthr"), 100)]).toEqual(["two", "one"]);
	expect([...newestLines(fileOf("thr"), 100)]).toEqual([]);
	expect([...newestLines(fileOf('one\n{"a":1}'), 100)]).toEqual(['{"a":1}', "one"]);
	expect([...newestLines(fileOf(""), 100)]).toEqual([]);
	expect([...newestLines("/nowhere/at/all", 100)]).toEqual([]);
});

test("the lines before a place come in their order, whole, and at least one of them, however long it is", () => {
	const path = fileOf("one\n\ntwo\nthree\nfour\n");
	expect(linesBefore(path, 15, 7)).toEqual({ lines: ["three"], from: 9 });
	expect(linesBefore(path, 9, 100)).toEqual({ lines: ["one", "two"], from: 0 });
	expect(linesBefore(path, 15, 1)).toEqual({ lines: ["three"], from: 9 });
	expect(linesBefore(path, 0, 100)).toBeUndefined();
	expect(linesBefore("/nowhere/at/all", 5, 100)).toBeUndefined();
});

test("a file is torn when its last line is not whole", () => {
	expect(isTorn(fileOf('one\n{"a":1}'))).toBe(false);
	expect([fileOf("one\n"), fileOf("one\nt"), fileOf("")].map(isTorn)).toEqual([false, true, false]);
	expect(isTorn("/nowhere/at/all")).toBe(false);
});

test("lines are found however long they are, each once, and not farther from the end than may be looked", () => {
	// Seen to fail with one look at the last 256 KiB: a longer line is not found.
	const lines = ["first", "x".repeat(3_000_000), "y".repeat(300_000), "last"];
	const path = fileOf(`${lines.join("\n")}\n`);
	expect([...newestLines(path, 32_000_000)]).toEqual(lines.toReversed());
	expect([...newestLines(path, 1_000_000)]).toEqual(["last", lines[2]]);
	expect([...newestLines(fileOf(""), 100), ...newestLines("/nowhere/at/all", 100)]).toEqual([]);
});
