import { expect, test } from "vitest";
import { escapeJson, safeJson, visibleCommand, visibleText } from "../../../../src/text/safe/invisible.ts";
import {
	cleanText,
	firstLine,
	inOneLine,
	oneLine,
	StreamCleaner,
	stripControl,
} from "../../../../src/text/safe/terminal-safe.ts";
import { cpuMs } from "../../cpu-ms.ts";

test.each([
	["colors", "\u001b[1;31mred\u001b[0m", "red"],
	["a cursor movement with intermediate bytes", "a\u001b[2 qb", "ab"],
	["a color that is cut off at the end", "a\u001b[38;5", "a"],
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

const UNITS = "\u001b[,\u001b],\u001b]0;a\n,\u001b,\u009b,\r,\u200d,\u{1f3f4}\u{e0061},a\ufe0f, ,\n ";

test.each(UNITS.split(","))("a megabyte of %j takes time in proportion to the text", (unit) => {
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

const TEXT =
	"a\u001b[31mred\u001b[0m é👍\r\nb\u001b]0;title\u0007c\n\u001b]52;c;aGk=\nd\u202ee\u009b2Jf\rg\n\u001bPimage\u001b\\h ❤️";

test("bytes that are parted anywhere give the same text as the whole", () => {
	const bytes = Buffer.from(TEXT);
	for (let size = 1; size < bytes.length; size++) {
		const cleaner = new StreamCleaner();
		let shown = "";
		for (let at = 0; at < bytes.length; at += size) shown += cleaner.push(bytes.subarray(at, at + size));
		expect(shown + cleaner.end()).toBe(stripControl(TEXT));
	}
});

test("bytes that are no UTF-8 are shown as such, never as C1", () => {
	const cleaner = new StreamCleaner();
	expect(cleaner.push(Buffer.from([0x61, 0x9b, 0x33, 0x0a])) + cleaner.end()).toBe("a\ufffd3\n");
});

test("a line that never ends is given in parts, without control characters", () => {
	const cleaner = new StreamCleaner();
	const part = Buffer.from(`${"a".repeat(600_000)}\u001b[31m`);
	expect(cleaner.push(part)).toBe("");
	expect(cleaner.push(part)).toBe("a".repeat(1_200_000));
});

test.each([
	["plain\ttext\n", "plain\ttext\n"],
	["a\r\nb\rc", "a\nb␍c"],
	["\u001b[31mred\u0007\u0000\u007f", "␛[31mred␇␀␡"],
	["\u009b2J\u2028", "⟨U+009B⟩2J⟨U+2028⟩"],
	["pay \u202e100\u2069\u200b", "pay ⟨U+202E⟩100⟨U+2069⟩⟨U+200B⟩"],
	["👩🏽‍🚀 ❤️ می‌خواهم", "👩🏽‍🚀 ❤️ می‌خواهم"],
	["half \ud800 of", "half \ufffd of"],
	["\u{e0041}", "⟨U+E0041⟩"],
])("%j is shown as %j", (text, shown) => {
	expect(visibleText(text)).toBe(shown);
});

// Seen to be shown like `rm a b`, which removes two files.
test("in a command a space that is part of a word, and a letter that is blank, are written as what they are", () => {
	expect(visibleCommand("rm a\u00a0b \u3164c\u2800\u2003 d\te\nf é 日本")).toBe(
		"rm a⟨U+00A0⟩b ⟨U+3164⟩c⟨U+2800⟩⟨U+2003⟩ d\te\nf é 日本",
	);
	expect(visibleText("un\u00a0mot")).toBe("un\u00a0mot");
});

const HOSTILE = "a\u001b[2Jb\u009b31mc\u007fd\u202ee\u2066f\u061cg\u200bh\u2028i\u{e0061}j\ud800k\r\nl\0";

test("what a terminal obeys or hides is escaped, and parses to the same text", () => {
	const json = safeJson({ [HOSTILE]: HOSTILE });
	expect(json).toMatch(/^[ -~]+$/);
	expect(JSON.parse(json)).toEqual({ [HOSTILE]: HOSTILE.replace("\ud800", "\ud800") });
	expect(safeJson("\u009b\u{e0061}")).toBe('"\\u009b\\udb40\\udc61"');
});

test("letters, emoji and their joiners are left as they are, and indentation is kept", () => {
	expect(safeJson({ a: ["é 日本 👩🏽‍🚀 ❤️"] }, "\t")).toBe('{\n\t"a": [\n\t\t"é 日本 👩🏽‍🚀 ❤️"\n\t]\n}');
});

test("control characters between the values of somebody else's JSON become spaces", () => {
	const line = '{"a":\r1,\t"b":"\u009b"}\r';
	expect(escapeJson(line)).toBe('{"a": 1,\t"b":"\\u009b"} ');
	expect(JSON.parse(escapeJson(line))).toEqual(JSON.parse(line));
});
