import { expect, test } from "vitest";
import { indentOf, rowsOf, type StyledLine } from "../../../../src/tui/text/line.ts";

function lineOf(text: string, changes: Partial<StyledLine> = {}): StyledLine {
	return { parts: [{ text, style: "plain", from: 0 }], from: 0, hang: 0, ...changes };
}

function shown(line: StyledLine, width: number): string[] {
	return rowsOf(line, width).map(({ parts }) => parts.map(({ text }) => text).join(""));
}

test("a line is broken at blanks, and where there are none where the row is full", () => {
	expect(shown(lineOf("the quick brown fox jumps"), 12)).toEqual(["the quick", "brown fox", "jumps"]);
	expect(shown(lineOf("abcdefghijklmnop"), 6)).toEqual(["abcdef", "ghijkl", "mnop"]);
	expect(shown(lineOf("a 12345678901234"), 8)).toEqual(["a 123456", "78901234"]);
	expect(shown(lineOf(""), 8)).toEqual([""]);
});

test("a wide character is never split, a mark without width stays with its letter, and a tab goes to the next stop", () => {
	expect(shown(lineOf("漢字漢字"), 5)).toEqual(["漢字", "漢字"]);
	expect(shown(lineOf("漢"), 1)).toEqual(["漢"]);
	expect(shown(lineOf("abcde\u0301f"), 5)).toEqual(["abcde\u0301", "f"]);
	expect(shown(lineOf("ab\tc"), 10)).toEqual(["ab  c"]);
	expect(indentOf("\t  x")).toBe(6);
});

test("every character but blanks at the breaks is in a row, at any width, and no row is wider", () => {
	const text = "\tconst x = [1, 2, 3].map((n) => n * 2); // 漢字 und Wörter\t\tend   ";
	for (let width = 1; width < 80; width++) {
		const rows = shown(lineOf(text, { hang: 4 }), width);
		expect(rows.join("").replace(/\s/g, "")).toBe(text.replace(/\s/g, ""));
		if (width > 1) for (const row of rows) expect(row.replace(/[漢字]/g, "xx").length).toBeLessThanOrEqual(width);
	}
});

// Seen to take minutes when the last blank was looked for in the whole line.
test("a line of 4 MiB is broken in time in proportion to it", () => {
	const before = performance.now();
	expect(rowsOf(lineOf("x".repeat(4 * 1024 * 1024)), 80).length).toBe(52429);
	expect(rowsOf(lineOf(" ".repeat(4 * 1024 * 1024)), 80).length).toBe(1);
	expect(performance.now() - before).toBeLessThan(20_000);
});
