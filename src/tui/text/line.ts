/** Lines of styled segments, which all faces draw. A style says what a segment means; its look is in screen/paint.ts. */
import { characterWidth, displayWidth, padWidth } from "../../text/width/width.ts";

export type Style =
	| "plain"
	| "strong"
	| "dim"
	| "heading"
	| "code"
	| "command"
	| "busy"
	| "calm"
	| "good"
	| "warn"
	| "bad"
	| "alert"
	| "danger";

export interface Segment {
	readonly text: string;
	readonly style: Style;
	readonly isSelected?: boolean;
}

export type Line = readonly Segment[];

export interface Size {
	readonly columns: number;
	readonly rows: number;
}

/** Where a person writes; counted from 0, at the top and at the left. */
export interface Cursor {
	readonly row: number;
	readonly column: number;
}

export const EMPTY_LINE: Line = [];

export function segment(text: string, style: Style = "plain"): Segment {
	return { text, style };
}

/** Exactly `columns` wide: cut with `…` when too long, filled with blanks when too short. */
export function fitLine(line: Line, columns: number): Line {
	const fitted: Segment[] = [];
	let left = columns;
	for (const piece of line) {
		if (left === 0) break;
		const width = Math.min(left, displayWidth(piece.text));
		if (width > 0) fitted.push({ ...piece, text: padWidth(piece.text, width) });
		left -= width;
	}
	if (left > 0) fitted.push(segment(" ".repeat(left)));
	return fitted;
}

export function selectLine(line: Line): Line {
	return line.map((piece) => ({ ...piece, isSelected: true }));
}

export function lineWidth(line: Line): number {
	return line.reduce((sum, piece) => sum + displayWidth(piece.text), 0);
}

export function textOf(line: Line): string {
	return line.map(({ text }) => text).join("");
}

/** Exactly `rows` lines: cut, or filled with empty ones. */
export function fitLines(lines: readonly Line[], rows: number): Line[] {
	return Array.from({ length: Math.max(0, rows) }, (_, row) => lines[row] ?? EMPTY_LINE);
}

/**
 * A line of parts that have a style each, broken into rows that fit a number of columns. A row knows where in the source it
 * begins, so that a reader's place can be found again at any width. The work is proportional to the text.
 */

export interface Part extends Segment {
	readonly from: number;
	/** The text stands for one character of the source, such as a tab, or for none. */
	readonly isReplaced?: true;
}

export interface StyledLine {
	readonly parts: readonly Part[];
	/** By how many columns the rows after the first are indented. */
	readonly hang: number;
	/** Rows are broken where they are full, and keep every blank; else at a blank where there is one. */
	readonly isVerbatim?: boolean;
	readonly from: number;
}

export interface Row {
	readonly from: number;
	/** Where it begins in what the line shows. */
	readonly at: number;
	/** How many blanks it begins with that the line does not have there. */
	readonly indent: number;
	readonly parts: Line;
}

const TAB_COLUMNS = 4;
const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;

/** At least one row. */
export function rowsOf(line: StyledLine, width: number): Row[] {
	const parts = withoutTabs(line.parts);
	const text = parts.map((part) => part.text).join("");
	const end = text.trimEnd().length;
	const hang = line.hang <= width / 2 ? line.hang : 0;
	const cutter = new Cutter(parts);
	const rows: Row[] = [];
	let at = 0;
	do {
		const room = Math.max(1, width - (rows.length === 0 ? 0 : hang));
		const to = rowEnd(text, { at, end, room, isVerbatim: line.isVerbatim === true });
		const from = rows.length === 0 ? line.from : cutter.sourceOf(at);
		const indent = rows.length === 0 ? 0 : hang;
		const blanks = indent === 0 ? [] : [{ text: " ".repeat(indent), style: "plain" } as const];
		const shown = cutter.cut(at, line.isVerbatim ? to : trimmedEnd(text, at, to));
		rows.push({ from, at, indent, parts: [...blanks, ...shown] });
		at = line.isVerbatim ? to : pastBlanks(text, to, end);
	} while (at < end);
	return rows;
}

/** As `rowsOf`, for callers that need no place in the source. */
export function wrapLine(line: StyledLine, width: number): Line[] {
	return rowsOf(line, width).map(({ parts }) => parts);
}

/** What the line shows, in one row of any width. */
export function shownText({ parts }: StyledLine): string {
	return withoutTabs(parts)
		.map(({ text }) => text)
		.join("");
}

/** How many columns of blanks the text begins with. */
export function indentOf(text: string): number {
	let columns = 0;
	for (let at = 0; at < text.length && columns < 1_000; at++) {
		if (text[at] === " ") columns++;
		else if (text[at] === "\t") columns += TAB_COLUMNS - (columns % TAB_COLUMNS);
		else break;
	}
	return columns;
}

interface Reach {
	readonly at: number;
	readonly end: number;
	readonly room: number;
	readonly isVerbatim: boolean;
}

function rowEnd(text: string, { at, end, room, isVerbatim }: Reach): number {
	const full = at + takenBy(text, at, room);
	if (full >= end) return end;
	if (isVerbatim || text[full] === " ") return full;
	const blank = text.slice(at, full).lastIndexOf(" "); // of the row alone: else a line without blanks is searched for each row
	return blank > (full - at) / 3 ? at + blank : full;
}

/** How many UTF-16 units of the text fit; at least one character, so that breaking comes to an end. */
function takenBy(text: string, at: number, room: number): number {
	const ahead = text.slice(at, at + room);
	if (PRINTABLE_ASCII.test(ahead)) {
		// A mark without width belongs to the character before it.
		const next = text[at + room];
		if (next === undefined || next < "\u0300") return ahead.length;
	}
	let columns = 0;
	let to = at;
	while (to < text.length) {
		const character = String.fromCodePoint(text.codePointAt(to) ?? 0);
		columns += characterWidth(character);
		if (columns > room && to > at) break;
		to += character.length;
	}
	return to - at;
}

function trimmedEnd(text: string, at: number, to: number): number {
	let end = to;
	while (end > at && text[end - 1] === " ") end--;
	return end;
}

function pastBlanks(text: string, from: number, end: number): number {
	let at = from;
	while (at < end && text[at] === " ") at++;
	return at;
}

/** Cuts pieces out of a line's parts, one behind the other. */
class Cutter {
	private readonly parts: readonly Part[];
	private index = 0;
	/** Where the part at `index` begins in the line. */
	private start = 0;

	constructor(parts: readonly Part[]) {
		this.parts = parts;
	}

	sourceOf(at: number): number {
		const part = this.partAt(at);
		if (part === undefined) return 0;
		return part.from + (part.isReplaced ? 0 : at - this.start);
	}

	cut(from: number, to: number): Segment[] {
		const pieces: Segment[] = [];
		for (let at = from; at < to; ) {
			const part = this.partAt(at);
			if (part === undefined) break;
			const text = part.text.slice(at - this.start, to - this.start);
			pieces.push({ text, style: part.style, ...(part.isSelected && { isSelected: true }) });
			at += text.length;
		}
		return pieces;
	}

	/** `at` never goes back behind the part of the last call. */
	private partAt(at: number): Part | undefined {
		for (let part = this.parts[this.index]; part !== undefined; part = this.parts[++this.index]) {
			if (at < this.start + part.text.length) return part;
			this.start += part.text.length;
		}
		return undefined;
	}
}

function withoutTabs(parts: readonly Part[]): readonly Part[] {
	if (!parts.some(({ text }) => text.includes("\t"))) return parts;
	let columns = 0;
	return parts.flatMap((part) => {
		const split: Part[] = [];
		let from = part.from;
		for (const [index, text] of part.text.split("\t").entries()) {
			if (index > 0) {
				const blanks = TAB_COLUMNS - (columns % TAB_COLUMNS);
				split.push({ text: " ".repeat(blanks), style: part.style, from, isReplaced: true });
				columns += blanks;
				from++;
			}
			if (text !== "") split.push({ ...part, text, from });
			columns += widthOf(text);
			from += text.length;
		}
		return split;
	});
}

function widthOf(text: string): number {
	if (PRINTABLE_ASCII.test(text)) return text.length;
	let width = 0;
	for (const character of text) width += characterWidth(character);
	return width;
}
