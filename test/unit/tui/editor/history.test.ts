import { expect, test } from "vitest";
import { remembered } from "../../../../src/tui/editor/editor.ts";
import { lineAfter } from "./typing.ts";

const HISTORY = ["first", "two\nlines", "third"];

test.each([
	["<up>", "third|"],
	["<up><up>", "two\nlines|"],
	["<up><up><up>", "first|"],
	["<up><up><up><up>", "first|"],
	["dra<up><down>", "dra|"],
	["dra<up><down><down>", "dra|"],
	["<ctrl-p><ctrl-p><ctrl-n>", "third|"],
	// a changed line is there again
	["<up>!<up><up><down><down>", "third!|"],
	["dra<left><up><down>", "dr|a"],
	// after another key, Up and Down move between the rows of the entry
	["<up><up><left><up>", "two|\nlines"],
	["<up><up><left><up><up>", "first|"],
	["<up><up><left><up><down>", "two\nline|s"],
	["a<ctrl-j>b<up>", "a|\nb"],
	["a<ctrl-j>b<up><up>", "third|"],
	["a<ctrl-j>b<up><down>", "a\nb|"],
	["<alt-p><alt-p>x<alt-p>", "first|"],
])("%s shows %s", (keys, line) => {
	expect(lineAfter(keys, HISTORY)).toBe(line);
});

test("the history keeps neither blanks, nor what begins with one, nor the same message twice in a row", () => {
	expect(remembered(["a"], "a")).toEqual(["a"]);
	expect(remembered(["a", "b"], "a")).toEqual(["a", "b", "a"]);
	expect(remembered(["a"], " secret")).toEqual(["a"]);
	expect(remembered(["a"], " \n")).toEqual(["a"]);
	expect(remembered(["a"], "x".repeat(100_000))).toEqual(["a"]);
	const many = Array.from({ length: 3_000 }, (_, n) => String(n));
	expect(many.reduce(remembered, [] as readonly string[])).toEqual(many.slice(-1_000));
});
