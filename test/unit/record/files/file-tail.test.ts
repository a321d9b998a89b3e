import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isTorn, lastLines, linesBefore, newestLines } from "../../../../src/record/files/json-lines.ts";
import { temporaryHome } from "../fabricate.ts";

function fileOf(text: string): string {
	const path = join(temporaryHome(), "transcript.jsonl");
	writeFileSync(path, text);
	return path;
}

test("the last lines come newest first, whole, within the bytes that are asked for", () => {
	expect(lastLines(fileOf("one\ntwo\nthree\n"), 100)).toEqual(["three", "two", "one"]);
	expect(lastLines(fileOf("one\ntwo\nthree\n"), 11)).toEqual(["three", "two"]);
	expect(lastLines(fileOf("one\ntwo\nthr"), 100)).toEqual(["two", "one"]);
	expect(lastLines(fileOf("thr"), 100)).toEqual([]);
	expect(lastLines(fileOf('one\n{"a":1}'), 100)).toEqual(['{"a":1}', "one"]);
	expect(lastLines(fileOf(""), 100)).toEqual([]);
	expect(lastLines("/nowhere/at/all", 100)).toEqual([]);
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
