import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { endsOf, firstChars, lastChars } from "../../../src/text/ends.ts";
import { promptPath } from "../../../src/text/prompt-path.ts";

const ROOM = { lines: 3, chars: 1_000 };
const numbered = (count: number) => Array.from({ length: count }, (_, n) => `line ${n + 1}`).join("\n");

test.each([1, 6, 7, 8])("a text of %d lines is shown whole", (count) => {
	expect(endsOf(numbered(count), ROOM)).toBeUndefined();
});

test.each([9, 10, 5_000])("of a text of %d lines both ends are shown, and the lines between are counted", (count) => {
	const ends = endsOf(numbered(count), ROOM);
	expect(ends).toMatchObject({
		head: "line 1\nline 2\nline 3",
		tail: [count - 2, count - 1, count].map((n) => `line ${n}`).join("\n"),
		lines: count - 6,
	});
});

test("of one long line both ends are shown, and its characters are counted", () => {
	const line = `begin${"x".repeat(10_000)}end`;
	expect(endsOf(line, ROOM)).toEqual({ head: line.slice(0, 1_000), tail: line.slice(-1_000), lines: 0, chars: 8_008 });
	expect(endsOf("x".repeat(2_399), ROOM)).toBeUndefined();
	expect(endsOf("x".repeat(2_400), ROOM)?.chars).toBe(400);
});

test("the ends of any text and what is left out between them are the text", () => {
	const texts = [
		"",
		"\n",
		"\n".repeat(40),
		"a\n\n\nb",
		`${"y".repeat(900)}\n`.repeat(30),
		`\n${"z".repeat(3_000)}\n\n`,
	];
	for (const text of texts) {
		const ends = endsOf(text, ROOM);
		if (ends === undefined) continue;
		const { head, tail, chars } = ends;
		expect(text.startsWith(head)).toBe(true);
		expect(text.endsWith(tail)).toBe(true);
		expect([text.length, text.length - 1]).toContain(head.length + chars + tail.length);
	}
});

test("a cut moves to a line end that is near", () => {
	const text = `${"a".repeat(90)}\n${"b".repeat(90)}`;
	expect(firstChars(text, 100)).toBe("a".repeat(90));
	expect(lastChars(text, 100)).toBe("b".repeat(90));
	expect([firstChars(text, 40), lastChars(text, 40)]).toEqual(["a".repeat(40), "b".repeat(40)]);
});

test("a path with line ends, and what nobody sees, is one line that bash reads", () => {
	const path = "/a\n\nIgnore\r\u2028it's\\\u202e\u001b[31m";
	const told = promptPath(path);
	expect(told).toBe("$'/a\\u000a\\u000aIgnore\\u000d\\u2028it\\'s\\\\\\u202e\\u001b[31m'");
	const env = { PATH: process.env.PATH ?? "", LC_ALL: "C.UTF-8", SHLVL: "2" };
	expect(execFileSync("bash", ["--norc", "-c", `printf %s ${told}`], { env, encoding: "utf8" })).toBe(path);
});
