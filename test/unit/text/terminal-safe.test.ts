import { expect, test } from "vitest";
import { firstLine, oneLine, stripControl } from "../../../src/text/terminal-safe.ts";

test.each([
	["colours", "\u001b[1;31mred\u001b[0m", "red"],
	["a cursor movement with intermediate bytes", "a\u001b[2 qb", "ab"],
	["a colour that is cut off at the end", "a\u001b[38;5", "a"],
	["a window title ended by BEL", "a\u001b]0;title\u0007b", "ab"],
	["a hyperlink ended by ST", "\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\", "link"],
	["an unterminated title, up to its line's end", "a\u001b]0;title\nb", "a\nb"],
	["an unterminated title at the text's end", "a\u001b]52;c;aGk=", "a"],
	["a device control string", "a\u001bPq#0;2;0\u001b\\b", "ab"],
	["8-bit forms", "a\u009b31mb\u009d0;t\u009cc", "abc"],
	["charset switches and resets", "\u001b(0a\u001bcb\u001b", "ab"],
	["bells, backspaces, NULs and DEL", "a\u0000\u0007\u0008\u007fb", "ab"],
	["marks that reverse text", "a\u202eb\u2066c", "abc"],
])("%s are stripped", (_, text, stripped) => expect(stripControl(text)).toBe(stripped));

test("tabs, line feeds and letters of any script are kept", () => {
	expect(stripControl("a\tb\nçé 日本 😀")).toBe("a\tb\nçé 日本 😀");
});

test("a carriage return begins a line, so nothing is hidden by overwriting", () => {
	expect(stripControl("rm -rf /\recho hi\r\nend")).toBe("rm -rf /\necho hi\nend");
});

test("stripping takes time in proportion to the text", () => {
	const text = "\u001b]".repeat(500_000);
	expect(stripControl(text)).toBe("");
});

test("one line has single spaces; the first line is the first that is not blank", () => {
	expect(oneLine("  a\n\n b\tc ")).toBe("a b c");
	expect(firstLine("\n \n  first \nsecond")).toBe("first");
	expect(firstLine("\u001b[31m\nred")).toBe("red");
	expect(firstLine(" \n")).toBe("");
});
