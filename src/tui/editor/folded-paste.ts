/**
 * Long pastes stand in the editor as one private character each, which is shown as `[pasted 500 lines]`, moves and is deleted
 * as one, and becomes the whole paste when the message is sent. Pure.
 */

/** Of the private planes, which no keyboard and no paste brings in: they are taken out of all that is inserted. */
const FIRST = 0x100000;
const MOST = 0xfffd;
const MARK = /[\u{100000}-\u{10fffd}]/u;
const MARKS = new RegExp(MARK, "gu");

export interface FoldedPaste {
	readonly text: string;
	/** What is shown in its place. */
	readonly label: string;
}

export interface Folding {
	readonly mark: string;
	readonly pastes: readonly FoldedPaste[];
}

const MOST_LINES = 20;
const MOST_CHARS = 2_000;

export function isLong(text: string): boolean {
	if (text.length > MOST_CHARS) return true;
	return text.split("\n", MOST_LINES + 1).length > MOST_LINES;
}

/** Undefined when there are too many marks already. */
export function folded(text: string, pastes: readonly FoldedPaste[]): Folding | undefined {
	if (pastes.length >= MOST) return undefined;
	return { mark: markOf(pastes.length), pastes: [...pastes, { text, label: labelFor(text) }] };
}

export function unfolded(text: string, pastes: readonly FoldedPaste[]): string {
	return hasMark(text) ? text.replace(MARKS, (mark) => pastes[indexOf(mark)]?.text ?? "") : text;
}

/** The text with each paste in it that is known folded again. */
export function refolded(text: string, pastes: readonly FoldedPaste[]): string {
	return pastes.reduce((shown, paste, n) => shown.replaceAll(paste.text, () => markOf(n)), text);
}

function markOf(index: number): string {
	return String.fromCodePoint(FIRST + index);
}

export function hasMark(text: string): boolean {
	return MARK.test(text);
}

/** What is shown in place of a mark; undefined for any other character. */
export function labelOf(character: string, pastes: readonly FoldedPaste[]): string | undefined {
	const index = indexOf(character);
	return index < 0 ? undefined : pastes[index]?.label;
}

function labelFor(text: string): string {
	const lines = text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
	return lines > 1 ? `[pasted ${grouped(lines)} lines]` : `[pasted ${grouped(text.length)} characters]`;
}

/** Text in which no character is a mark. */
export function withoutMarks(text: string): string {
	return text.replace(MARKS, "\ufffd");
}

function indexOf(mark: string): number {
	return (mark.codePointAt(0) ?? 0) - FIRST;
}

/** `12,000` */
function grouped(count: number): string {
	return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}
