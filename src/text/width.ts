/** How many columns of a terminal a text takes, and text that takes a given number of them. */

/** Columns that one line takes, code point by code point as `wcwidth` counts: wide 2, combining 0. */
export function displayWidth(text: string): number {
	if (PLAIN.test(text)) return text.length;
	let width = 0;
	for (const character of text) width += widthOf(character);
	return width;
}

/** The displayWidth of one character, without a search for nearly all of them. */
export function characterWidth(character: string): number {
	return character < "\u0300" ? 1 : displayWidth(character);
}

/** Cut to at most `columns`, the last of them `…` when something was cut. */
export function fitWidth(text: string, columns: number): string {
	if (displayWidth(text) <= columns) return text;
	if (columns <= 0) return "";
	let kept = "";
	let width = 0;
	for (const character of text) {
		width += widthOf(character);
		if (width > columns - 1) break;
		kept += character;
	}
	return `${kept.replace(/\u200d+$/, "")}…`;
}

/** Exactly `columns` wide: cut, or filled with spaces behind (before, when `toRight`). */
export function padWidth(text: string, columns: number, toRight = false): string {
	const fitted = fitWidth(text, columns);
	const spaces = " ".repeat(Math.max(0, columns - displayWidth(fitted)));
	return toRight ? spaces + fitted : fitted + spaces;
}

const PLAIN = /^[ -~]*$/;
const ZERO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]$/u;
const EMOJI = /^\p{Emoji_Presentation}$/u;
// East Asian Width W and F, by block (Unicode 15).
const WIDE: readonly (readonly [number, number])[] = [
	[0x1100, 0x115f],
	[0x2e80, 0x303e],
	[0x3041, 0x33ff],
	[0x3400, 0x4dbf],
	[0x4e00, 0xa4cf],
	[0xa960, 0xa97f],
	[0xac00, 0xd7a3],
	[0xf900, 0xfaff],
	[0xfe30, 0xfe6f],
	[0xff01, 0xff60],
	[0xffe0, 0xffe6],
	[0x17000, 0x18cff],
	[0x1b000, 0x1b2ff],
	[0x1f200, 0x1f2ff],
	[0x1f300, 0x1f64f],
	[0x1f680, 0x1f6ff],
	[0x1f900, 0x1f9ff],
	[0x20000, 0x3fffd],
];

function widthOf(character: string): number {
	const code = character.codePointAt(0) ?? 0;
	if (code < 0x300) return 1;
	if (ZERO_WIDTH.test(character)) return 0;
	if (EMOJI.test(character)) return 2;
	return WIDE.some(([from, to]) => code >= from && code <= to) ? 2 : 1;
}
