/** How many columns of a terminal a text takes, and text that takes a given number of them. */
import { agreedWidth } from "./width-table.ts";

/** Columns that one line takes: wide characters 2, marks that join the one before them 0. Exact for text of drawableText. */
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
	return `${kept.replace(/[\u200d…]+$/, "")}…`;
}

/** Exactly `columns` wide: cut, or filled with spaces behind (before, when `toRight`). */
export function padWidth(text: string, columns: number, toRight = false): string {
	const fitted = fitWidth(text, columns);
	const spaces = " ".repeat(Math.max(0, columns - displayWidth(fitted)));
	return toRight ? spaces + fitted : fitted + spaces;
}

const PLAIN = /^[ -~]*$/;
/** What drawableText drops, and what terminals do not show. */
const DROPPED = /^(?:[\p{Default_Ignorable_Code_Point}\p{Emoji_Modifier}\ufff9-\ufffb]|\u20e3)$/u;

/** A character without an agreed width is counted as what drawableText puts in its place. */
function widthOf(character: string): number {
	const code = character.codePointAt(0) ?? 0;
	if (code < 0x300) return 1;
	return agreedWidth(code) ?? (DROPPED.test(character) ? 0 : 1);
}
