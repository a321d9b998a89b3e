import { expect, test } from "vitest";
import { wrapWords } from "../../../../src/text/width/wrap.ts";

test("a line that is too long goes on below, indented, and is broken between words alone", () => {
	expect(wrapWords("agent: run k3f9 goes on: agent attach k3f9 watches", 26)).toBe(
		"agent: run k3f9 goes on:\n  agent attach k3f9\n  watches",
	);
	expect(wrapWords("short\n  a list's line, which is too long", 20)).toBe(
		"short\n  a list's line,\n    which is too\n    long",
	);
});

test("columns keep their blanks, and a row may be as wide as the terminal", () => {
	expect(wrapWords("ab   cd   ef", 9)).toBe("ab   cd\n  ef");
	expect(wrapWords("ab   cd   ef", 12)).toBe("ab   cd   ef");
});

test("a word that is wider than the terminal stays whole, and no row is begun for it", () => {
	const path = `/${"x".repeat(30)}`;
	expect(wrapWords(`see ${path} for all of it`, 20)).toBe(`see ${path}\n  for all of it`);
});

test("wide characters count twice", () => {
	expect(wrapWords("漢字 漢字 漢字", 9)).toBe("漢字 漢字\n  漢字");
});

test("a line that is painted stays as it is", () => {
	const line = `\u001b[2m${"word ".repeat(10)}\u001b[m`;
	expect(wrapWords(line, 20)).toBe(line);
});
