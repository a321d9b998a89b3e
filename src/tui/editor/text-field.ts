/** A text that a person writes, as a value: what stands there, where the cursor is, and what was there before. Pure. */

export interface TextField {
	/** What is shown. A private character stands for each folded paste. */
	readonly text: string;
	/** In UTF-16 units; never within a character. */
	readonly cursor: number;
	/** What the marks of folded pastes stand for. */
	readonly pastes: readonly FoldedPaste[];
	readonly past: readonly Snapshot[];
	readonly kills: readonly string[];
	readonly last: LastAct;
}

export interface Snapshot {
	readonly text: string;
	readonly cursor: number;
}

export type LastAct =
	| { readonly is: "typed" }
	| { readonly is: "killed" }
	/** `at`: which of the kills stands between `from` and the cursor. */
	| { readonly is: "yanked"; readonly from: number; readonly at: number }
	/** `goal`: the column that Up and Down try to keep. */
	| { readonly is: "moved_rows"; readonly goal: number }
	/** Up and Down go on through the history, whatever row the cursor is in. */
	| { readonly is: "browsed" }
	| { readonly is: "other" };

export const OTHER: LastAct = { is: "other" };
export const TYPED: LastAct = { is: "typed" };

export const EMPTY_FIELD: TextField = { text: "", cursor: 0, pastes: [], past: [], kills: [], last: OTHER };

const MOST_SNAPSHOTS = 200;

export function fieldWith(text: string): TextField {
	return { ...EMPTY_FIELD, text, cursor: text.length };
}

/** Another text that undo takes back. What is typed in a row is taken back together, word by word. */
export function edited<F extends TextField>(field: F, next: Snapshot, last: LastAct = OTHER): F {
	const { text, cursor, past } = field;
	const goesOn =
		last.is === "typed" && field.last.is === "typed" && !/\s\S$/.test(next.text.slice(0, next.cursor).slice(-2));
	return { ...field, ...next, last, past: goesOn ? past : [...past, { text, cursor }].slice(-MOST_SNAPSHOTS) };
}

export function moved<F extends TextField>(field: F, cursor: number, last: LastAct = OTHER): F {
	return { ...field, cursor, last };
}

export function inserted<F extends TextField>(field: F, text: string, last: LastAct = TYPED): F {
	const { text: old, cursor } = field;
	return edited(field, { text: old.slice(0, cursor) + text + old.slice(cursor), cursor: cursor + text.length }, last);
}

/** A letter with its marks, an emoji with what joins it: longer ones are taken apart. The segmenter is slow, so it sees no more. */
const LONGEST = 128;

let segmenter: Intl.Segmenter | undefined;

function characterAt(text: string, at: number): { index: number; segment: string } | undefined {
	segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
	return segmenter.segment(text).containing(at);
}

export function nextCharacter(text: string, at: number): number {
	if (at >= text.length) return text.length;
	if (isAlone(text, at) && isAlone(text, at + 1)) return at + 1;
	const end = at + (characterAt(text.slice(at, at + LONGEST), 0)?.segment.length ?? 1);
	return isWithinPair(text, end) ? end + 1 : end;
}

export function previousCharacter(text: string, at: number): number {
	if (at <= 1) return 0;
	if (isAlone(text, at - 1) && isAlone(text, at - 2)) return at - 1;
	const from = Math.max(0, at - LONGEST);
	const begin = isWithinPair(text, from) ? from - 1 : from;
	const before = text.slice(begin, at);
	return begin + (characterAt(before, before.length - 1)?.index ?? 0);
}

/** ASCII joins nothing, and is joined by nothing. */
function isAlone(text: string, at: number): boolean {
	return at >= text.length || text.charCodeAt(at) < 0x80;
}

function isWithinPair(text: string, at: number): boolean {
	return /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(Math.max(0, at - 1), at + 1));
}

/** As readline's Alt-F: behind the end of the word at `at`, or of the next one. */
export function wordEnd(text: string, at: number): number {
	return pastAll(
		text,
		pastAll(text, at, (one) => !isOfWord(one)),
		isOfWord,
	);
}

/** As readline's Alt-B: the begin of the word before `at`. */
export function wordStart(text: string, at: number): number {
	return backOverAll(
		text,
		backOverAll(text, at, (one) => !isOfWord(one)),
		isOfWord,
	);
}

/** As readline's Ctrl-W: words are parted by white space. */
export function blankedWordStart(text: string, at: number): number {
	return backOverAll(text, backOverAll(text, at, isBlank), (one) => !isBlank(one));
}

export function lineStart(text: string, at: number): number {
	return at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;
}

export function lineEnd(text: string, at: number): number {
	const end = text.indexOf("\n", at);
	return end < 0 ? text.length : end;
}

const OF_WORD = /[\p{L}\p{N}\p{M}_]/u;

function isOfWord(character: string): boolean {
	return OF_WORD.test(character);
}

function isBlank(character: string): boolean {
	return /^\s/.test(character);
}

/** By code points: a mark is of the word that its letter is of. */
function pastAll(text: string, from: number, is: (character: string) => boolean): number {
	let at = from;
	while (at < text.length) {
		const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
		if (!is(character)) break;
		at += character.length;
	}
	return at;
}

function backOverAll(text: string, from: number, is: (character: string) => boolean): number {
	let at = from;
	while (at > 0) {
		const begin = isWithinPair(text, at - 1) ? at - 2 : at - 1;
		if (!is(text.slice(begin, at))) break;
		at = begin;
	}
	return at;
}

/**
 * Long pastes stand in the editor as one private character each, which is shown as `[pasted 500 lines]`, moves and is deleted
 * as one, and becomes the whole paste when the message is sent. Pure.
 */

/** Of the private planes, which no keyboard and no paste brings in: they are taken out of all that is inserted. */
const FIRST = 0x100000;
const MOST = 0xfffd;
const MARK = /[\u{100000}-\u{10fffd}]/u;
const MARKS = new RegExp(MARK, "gu");

interface FoldedPaste {
	readonly text: string;
	readonly label: string;
}

interface Folding {
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
