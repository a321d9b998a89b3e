import { expect, test } from "vitest";
import { visibleCommand, visibleText } from "../../../../src/text/safe/invisible.ts";

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
