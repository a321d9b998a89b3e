import { expect, test } from "vitest";
import { visibleText } from "../../../src/text/visible.ts";

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
