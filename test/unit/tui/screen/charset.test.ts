import { expect, test } from "vitest";
import { characterWidth } from "../../../../src/text/width/width.ts";
import { inCharset } from "../../../../src/tui/screen/cell-frame.ts";

const shown = (text: string, charset: "ascii" | "wide_ambiguous") =>
	[...text].map((character) => inCharset(character, characterWidth(character), charset)).join("");

test.each([
	["the frame of the pane with the keys, and of the others", "┏━┓┃┗┛ ┌─┐│└┘├┤┬┴┼", "#=#|## +-+|++||+++"],
	["the tree", "├▸▾│└", "|>v|+"],
	["states", "●◆○◌✓✗↻", "*%o.+x@"],
	["arrows", "→←↑↓", "><^v"],
	["bars", "▓░█▏", "#.#|"],
	["what is cut, quotes, dashes", "… ‘’“” – — · •", "~ ''\"\" - - . *"],
	["letters with accents", "Zürich naïve Ñ", "Zurich naive N"],
	["all else", "Ж漢😀", "???"],
	["ASCII", "a~!\\", "a~!\\"],
])("in ASCII: %s", (_, text, standIns) => {
	expect(shown(text, "ascii")).toBe(standIns);
});

test("every character of Unicode has a stand-in of one ASCII character", () => {
	const wrong: number[] = [];
	for (let code = 0x20; code < 0x30000; code++) {
		if (code === 0x7f) code = 0xa0;
		const character = String.fromCodePoint(code);
		if (!/^[ -~]$/.test(inCharset(character, 1, "ascii"))) wrong.push(code);
	}
	expect(wrong).toEqual([]);
});
