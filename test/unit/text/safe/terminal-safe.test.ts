import { expect, test } from "vitest";
import { cleanText, firstLine, inOneLine, oneLine, stripControl } from "../../../../src/text/safe/terminal-safe.ts";
import { cpuMs } from "../../cpu-ms.ts";

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
	["marks that reverse text", "a\u202eb\u2066c\u200fd\u061ce", "abcde"],
	["spaces without width, soft hyphens and byte order marks", "a\u200bb\u2060c\ufeffd\xade", "abcde"],
	["tags that spell a hidden text", "a\u{e0069}\u{e0067}b", "ab"],
	["tags behind a flag that spell no flag", "\u{1f3f4}\u{e0069}\u{e0067}\u{e007f}b", "🏴b"],
	["variation selectors and joiners that belong to nothing", "a\ufe0fb\u{e0101}\u200dc\u200cd", "abcd"],
	["all of several selectors but the first", "❤\ufe0f\ufe0f\u{e0101}", "❤\ufe0f"],
	["separators of lines, which become line feeds,", "a\u2028b\u2029c", "a\nb\nc"],
])("%s are stripped", (_, text, stripped) => expect(stripControl(text)).toBe(stripped));

test("tabs, line feeds and letters of any script are kept", () => {
	expect(stripControl("a\tb\nçé 日本 😀")).toBe("a\tb\nçé 日本 😀");
});

test("a carriage return begins a line, so nothing is hidden by overwriting", () => {
	expect(stripControl("rm -rf /\recho hi\r\nend")).toBe("rm -rf /\necho hi\nend");
});

test("emoji, their joiners and the joiners of scripts are kept", () => {
	const text = "❤️ 👩🏽‍🚀 ❤️‍🔥 🏳️‍🌈 1️⃣ 👨‍👩‍👧 🏴󠁧󠁢󠁥󠁮󠁧󠁿 نمی‌خواهم क्‍ष 葛󠄀";
	expect(stripControl(text)).toBe(text);
	expect(cleanText(text)).not.toMatch(/\u200d|[\ufe0f\u200c]|\udb40/);
});

test.each([
	"\u001b[",
	"\u001b]",
	"\u001b]0;a\n",
	"\u001b",
	"\u009b",
	"\r",
	"\u200d",
	"\u{1f3f4}\u{e0061}",
	"a\ufe0f",
	" ",
	"\n ",
])("a megabyte of %j takes time in proportion to the text", (unit) => {
	const text = unit.repeat(1_000_000 / unit.length);
	const clean = () => {
		oneLine(text);
		inOneLine(`\u001b]${text}`);
	};
	expect(cpuMs(clean)).toBeLessThan(10_000);
});

test("sequences of our own are kept where the text has been put together already", () => {
	const bold = new Set(["\u001b[1m"]);
	expect(stripControl("\u001b[1ma\u001b[8mb\u001b[2J", bold)).toBe("\u001b[1mab");
});

test("a text in one line keeps its columns, and makes no second line", () => {
	expect(inOneLine("a  b\r\nagent: c\u2028d\u001b[2J")).toBe("a  b agent: c d");
});

test("one line has single spaces; the first line is the first that is not blank", () => {
	expect(oneLine("  a\n\n b\tc ")).toBe("a b c");
	expect(firstLine("\n \n  first \nsecond")).toBe("first");
	expect(firstLine("\u001b[31m\nred")).toBe("red");
	expect(firstLine(" \n")).toBe("");
});
