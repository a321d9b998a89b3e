import {
	chmodSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeFile } from "../../../../src/cli/export/write-file.ts";
import { temporaryHome } from "../../store/fabricate.ts";

const mode = (path: string) => statSync(path).mode & 0o777;

test("a file is written for its owner alone, and nothing is left beside it", () => {
	const directory = temporaryHome();
	const path = join(directory, "a.html");
	expect(writeFile(path, ["ä", "b".repeat(600_000)], false)).toBe(600_002);
	expect(readFileSync(path, "utf8")).toBe(`ä${"b".repeat(600_000)}`);
	expect(mode(path)).toBe(0o600);
	expect(readdirSync(directory)).toEqual(["a.html"]);
});

test("a file that exists stays as it is unless it may be replaced", () => {
	const path = join(temporaryHome(), "a.html");
	writeFileSync(path, "mine");
	chmodSync(path, 0o644);
	expect(() => writeFile(path, ["new"], false)).toThrow(`cannot write ${path}: it exists; --force replaces it`);
	expect(readFileSync(path, "utf8")).toBe("mine");
	expect(writeFile(path, ["new"], true)).toBe(3);
	expect([readFileSync(path, "utf8"), mode(path)]).toEqual(["new", 0o600]);
});

test("a file that comes into being meanwhile is not replaced", () => {
	const directory = temporaryHome();
	const path = join(directory, "a.html");
	function* pieces() {
		yield "a";
		writeFileSync(path, "theirs");
		yield "b";
	}
	expect(() => writeFile(path, pieces(), false)).toThrow("it exists; --force replaces it");
	expect(readFileSync(path, "utf8")).toBe("theirs");
	expect(readdirSync(directory)).toEqual(["a.html"]);
});

test("nothing but a regular file is replaced: no link, no directory, no device", () => {
	const directory = temporaryHome();
	const target = join(directory, "target");
	writeFileSync(target, "mine");
	symlinkSync(target, join(directory, "link"));
	mkdirSync(join(directory, "folder"));
	for (const path of [join(directory, "link"), join(directory, "folder"), "/dev/null"])
		expect(() => writeFile(path, ["new"], true)).toThrow("it is not a regular file");
	expect(readFileSync(target, "utf8")).toBe("mine");
});

test("when the pieces cannot be made there is no file, and a place that is not there is said", () => {
	const directory = temporaryHome();
	function* broken() {
		yield "a";
		throw new Error("broken");
	}
	expect(() => writeFile(join(directory, "a"), broken(), false)).toThrow("broken");
	expect(readdirSync(directory)).toEqual([]);
	expect(() => writeFile(join(directory, "no/a"), ["a"], false)).toThrow("no/a: its directory does not exist");
	expect(existsSync(join(directory, "no"))).toBe(false);
});
