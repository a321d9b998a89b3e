import { expect, test } from "vitest";
import { fieldLine } from "../../../../src/tui/editor/draw-editor.ts";
import { fieldWith, type TextField } from "../../../../src/tui/editor/text-field.ts";
import { lineWidth } from "../../../../src/tui/text/line.ts";

function fieldOf(before: string, after: string): TextField {
	return { ...fieldWith(before + after), cursor: before.length };
}

/** The line, the cursor in brackets. */
function shown(before: string, after: string, columns: number): string {
	return fieldLine("find: ", fieldOf(before, after), columns)
		.map(({ text, isSelected }) => (isSelected ? `[${text}]` : text))
		.join("");
}

test("the cursor stands on the character behind it, or behind the text", () => {
	expect(shown("lo", "ck", 40)).toBe(" find: lo[c]k  enter, esc");
	expect(shown("lock", "", 40)).toBe(" find: lock[ ]  enter, esc");
});

test("a text that is too long is shown around its cursor", () => {
	expect(shown("0123456789", "", 12)).toBe(" find: 6789[ ]");
	expect(shown("0123", "456789", 14)).toBe(" find: 0123[4]56");
	expect(shown("a文字", "列です", 13)).toBe(" find: 文字[列]");
});

test.each([1, 5, 7, 8, 9, 20, 80])("the line is never wider than %i columns, when these hold the prompt", (columns) => {
	for (const before of ["", "ab", "文字文字文字", "x".repeat(200)])
		for (const after of ["", "c", "字字", "y".repeat(200)])
			expect(lineWidth(fieldLine("", fieldOf(before, after), columns))).toBeLessThanOrEqual(Math.max(3, columns));
});
