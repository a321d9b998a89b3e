import { expect, test } from "vitest";
import { EMPTY_ENTRY, edited, type TextEntry, textOf, typed } from "../../../../src/tui/text/text-entry.ts";

function entryOf(text: string): TextEntry {
	return typed(EMPTY_ENTRY, text);
}

/** The text after the keys, with the cursor as `|`. */
function after(keys: string, from: TextEntry): string {
	const { before, after } = keys.split(" ").reduce((entry, key) => edited(entry, key) ?? entry, from);
	return `${before}|${after}`;
}

test.each([
	["backspace", "fix the bu|"],
	["left left backspace", "fix the |ug"],
	["C-a delete", "|ix the bug"],
	["home right", "f|ix the bug"],
	["left left end", "fix the bug|"],
	["C-w", "fix the |"],
	["C-w C-w", "fix |"],
	["C-left", "fix the |bug"],
	["M-b M-b", "fix |the bug"],
	["home C-right M-f", "fix the| bug"],
	["M-f", "fix the bug|"],
	["C-u", "|"],
	["C-a C-k", "|"],
	["left left left C-k", "fix the |"],
])("%s makes %s of a text", (keys, expected) => {
	expect(after(keys, entryOf("fix the bug"))).toBe(expected);
});

test("a character of two code units is one step", () => {
	expect(after("left", entryOf("a🌳"))).toBe("a|🌳");
	expect(after("C-a right", entryOf("🌳a"))).toBe("🌳|a");
	expect(after("backspace", entryOf("🌳"))).toBe("|");
});

test("what is typed or pasted stands at the cursor, without what a terminal obeys", () => {
	const between = { before: "a", after: "z" };
	expect(textOf(typed(between, "b\u001b[31mc\u0007"))).toBe("abcz");
	expect(textOf(typed(between, "line 1\nline 2\n", { hasLines: true }))).toBe("aline 1\nline 2\nz");
});

test("a text has an end", () => {
	expect(textOf(typed(EMPTY_ENTRY, "x".repeat(50_000), { hasLines: true }))).toHaveLength(20_000);
	expect(textOf(typed(EMPTY_ENTRY, "x".repeat(50_000)))).toHaveLength(1_000);
});

test("lines that are pasted where there is only one become one, without the ends around them", () => {
	expect(textOf(typed(EMPTY_ENTRY, "\nno such\n\tfile\n"))).toBe("no such file");
});

test("other keys edit nothing", () => {
	expect(edited(EMPTY_ENTRY, "f5")).toBeUndefined();
});
