/**
 * Text with all that it says: what a terminal would obey, and what is not shown or reorders text, is written as what it is.
 * For a page, where nothing obeys it, and where what was hidden is worth seeing.
 */
import { replaceHidden } from "./invisible.ts";

/** `\x1b[2J` → `␛[2J`; a mark that reverses text → `⟨U+202E⟩`. Line ends become line feeds; tabs stay. */
export function visibleText(text: string): string {
	const whole = text.toWellFormed();
	const shown = CONTROL.test(whole) ? whole.replaceAll("\r\n", "\n").replace(CONTROLS, pictureOf) : whole;
	return replaceHidden(shown, named);
}

/** Also what looks like a space or like nothing, and is a part of a word to a shell: `rm a⟨U+00A0⟩b` removes one file. */
export function visibleCommand(command: string): string {
	return visibleText(command).replace(BLANKS, named);
}

const BLANKS = /[\xa0\u115f\u1160\u1680\u17b4\u17b5\u2000-\u200a\u202f\u205f\u2800\u3000\u3164\uffa0\ufffc]/g;
const CONTROL = /[\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]/;
const CONTROLS = new RegExp(CONTROL, "g");
const PICTURES = 0x2400; // the pictures of C0, in its order
const PICTURE_OF_DELETE = "\u2421";

function pictureOf(character: string): string {
	if (character < " ") return String.fromCodePoint(PICTURES + (character.codePointAt(0) ?? 0));
	return character === "\x7f" ? PICTURE_OF_DELETE : named(character);
}

function named(characters: string): string {
	return [...characters]
		.map((one) => `⟨U+${(one.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`)
		.join("");
}
