import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isTorn, lastLines } from "../../../src/store/file-tail.ts";
import { temporaryHome } from "./fabricate.ts";

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
	expect(lastLines(fileOf(""), 100)).toEqual([]);
	expect(lastLines("/nowhere/at/all", 100)).toEqual([]);
});

test("a file is torn when its last line has no end", () => {
	expect([fileOf("one\n"), fileOf("one\nt"), fileOf("")].map(isTorn)).toEqual([false, true, false]);
	expect(isTorn("/nowhere/at/all")).toBe(false);
});
