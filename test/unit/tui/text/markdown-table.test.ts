import { expect, test } from "vitest";
import { isOfTable, tableLines } from "../../../../src/tui/text/markdown-stream.ts";
import { styledOf, textOf } from "../../faces/chat/output/scenario.ts";

const TABLE = [
	"| what | how it is **done**, in many words | cost |",
	"|---|:--|--:|",
	"| 解析 | `parse()` | 1 |",
	"| b |",
];

test("columns stand one below the other, the head is strong, and marks in cells are obeyed", () => {
	expect(TABLE.every(isOfTable)).toBe(true);
	expect(tableLines(TABLE, 80).map(styledOf)).toEqual([
		"<strong what><dim  │ ><strong how it is ><strong done><strong , in many words><dim  │ ><strong cost>",
		"<dim ─────┼───────────────────────────────┼─────>",
		"解析<dim  │ ><code parse()>                      <dim  │ >1",
		"b   <dim  │ >                             <dim  │ >",
	]);
});

test("where it is too wide the widest columns are broken into rows", () => {
	expect(tableLines(TABLE, 30).map(textOf)).toEqual([
		"what │ how it is done,  │ cost",
		"     │ in many words    │",
		"─────┼──────────────────┼─────",
		"解析 │ parse()          │ 1",
		"b    │                  │",
	]);
});

test("what has no rule, or too many columns, stays as it is", () => {
	expect(tableLines(["| a |", "| b |"], 80).map(textOf)).toEqual(["| a |", "| b |"]);
	const wide = [`|${"a|".repeat(60)}`, `|${"-|".repeat(60)}`];
	expect(tableLines(wide, 80).map(textOf)).toEqual(wide);
});
