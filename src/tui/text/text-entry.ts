/** A line of text that a person types; the cursor stands between `before` and `after`. Pure. */
import { cleanText } from "../../text/safe/terminal-safe.ts";

export interface TextEntry {
	readonly before: string;
	readonly after: string;
}

export const EMPTY_ENTRY: TextEntry = { before: "", after: "" };

const MOST_CHARACTERS = 20_000;
const MOST_IN_ONE_LINE = 1_000; // what is looked for becomes a pattern, and no engine takes one of any length

export function textOf({ before, after }: TextEntry): string {
	return before + after;
}

/**
 * The text is put in at the cursor, as far as there is room for it, without what a terminal obeys. Without `hasLines` it
 * stays one line.
 */
export function typed(entry: TextEntry, text: string, { hasLines = false }: { hasLines?: boolean } = {}): TextEntry {
	const clean = cleanText(text);
	const put = hasLines ? clean : clean.replace(/^\n+|\n+$/g, "").replace(/[\n\t]+/g, " ");
	const room = Math.max(0, (hasLines ? MOST_CHARACTERS : MOST_IN_ONE_LINE) - textOf(entry).length);
	return { ...entry, before: entry.before + put.slice(0, room) };
}

/** What a key of a line editor does, by the terminal library's name for it; undefined for a key that edits nothing. */
export function edited(entry: TextEntry, key: string): TextEntry | undefined {
	const { before, after } = entry;
	switch (key) {
		case "backspace":
		case "C-h":
			return { before: withoutLast(before), after };
		case "delete":
		case "C-d":
			return { before, after: withoutFirst(after) };
		case "left":
		case "C-b":
			return { before: withoutLast(before), after: lastOf(before) + after };
		case "right":
		case "C-f":
			return { before: before + firstOf(after), after: withoutFirst(after) };
		case "C-left":
		case "M-b":
			return movedTo(entry, before.replace(LAST_WORD, "").length);
		case "C-right":
		case "M-f":
			return movedTo(entry, before.length + (FIRST_WORD.exec(after)?.[0].length ?? 0));
		case "home":
		case "C-a":
			return { before: "", after: before + after };
		case "end":
		case "C-e":
			return { before: before + after, after: "" };
		case "C-u":
			return { before: "", after };
		case "C-k":
			return { before, after: "" };
		case "C-w":
		case "M-backspace":
			return { before: before.replace(LAST_WORD, ""), after };
		default:
			return undefined;
	}
}

const LAST_WORD = /\S*\s*$/;
const FIRST_WORD = /^\s*\S*/;

function movedTo(entry: TextEntry, at: number): TextEntry {
	const text = textOf(entry);
	return { before: text.slice(0, at), after: text.slice(at) };
}

function lastOf(text: string): string {
	return [...text.slice(-2)].at(-1) ?? "";
}

function firstOf(text: string): string {
	return [...text.slice(0, 2)].at(0) ?? "";
}

function withoutLast(text: string): string {
	return text.slice(0, text.length - lastOf(text).length);
}

function withoutFirst(text: string): string {
	return text.slice(firstOf(text).length);
}
