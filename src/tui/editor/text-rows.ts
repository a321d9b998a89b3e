/**
 * A text that is written as rows of a terminal, broken where they are full, and the way of the cursor between them. Only lines that are
 * asked for are looked at, so a key costs no more than the line it is pressed in. Pure.
 */
import { drawableText } from "../../text/safe/drawable.ts";
import { agreedWidth, displayWidth, fitWidth } from "../../text/width/width.ts";
import { labelOf, lineEnd, lineStart, moved, type TextField } from "./text-field.ts";

export interface TextRow {
	readonly from: number;
	readonly to: number;
}

const PLAIN = /^[ -~]*$/;

const MARGIN = 2;
/** On a narrower terminal each column is for the text. */
const FEWEST_COLUMNS = 8;

export function marginOf(columns: number): number {
	return columns < FEWEST_COLUMNS ? 0 : MARGIN;
}

/** Columns for text. The last one is left for the cursor behind a full row, so no terminal carries anything to the next row. */
export function roomOf(columns: number): number {
	return Math.max(1, columns - marginOf(columns) - 1);
}

export function rowsOfLine(shown: Shown, at: number, room: number): TextRow[] {
	const [start, end] = [lineStart(shown.text, at), lineEnd(shown.text, at)];
	if (PLAIN.test(shown.text.slice(start, end))) return plainRows(start, end, room);
	const rows: TextRow[] = [];
	let from = start;
	let column = 0;
	for (let next = start; next < end; ) {
		const width = plainWidth(shown.text, next, end) ?? Number.POSITIVE_INFINITY;
		if (column + width <= room) {
			column += width;
			next += lengthAt(shown.text, next);
			continue;
		}
		const cell = cellAt(shown, next, { end, room, column });
		if (cell.startsRow && next > from) {
			rows.push({ from, to: next });
			from = next;
			column = 0;
		}
		column += cell.width;
		next = cell.to;
	}
	return [...rows, { from, to: end }];
}

function plainRows(from: number, end: number, room: number): TextRow[] {
	const count = Math.max(1, Math.ceil((end - from) / room));
	return Array.from({ length: count }, (_, n) => {
		const begin = from + n * room;
		return { from: begin, to: Math.min(end, begin + room) };
	});
}

interface Look {
	readonly isUp: boolean;
	readonly most: number;
	readonly room: number;
}

/** The rows of the lines above the one that holds `at`, or below it, the nearest first; as many as asked for. */
export function rowsBeyond(shown: Shown, at: number, { isUp, most, room }: Look): TextRow[] {
	const { text } = shown;
	const rows: TextRow[] = [];
	let within = at;
	while (rows.length < most) {
		const edge = isUp ? lineStart(text, within) : lineEnd(text, within);
		if (edge === (isUp ? 0 : text.length)) break;
		within = isUp ? edge - 1 : edge + 1;
		const next = rowsOfLine(shown, within, room);
		rows.push(...(isUp ? next.slice(-most).reverse() : next.slice(0, most)));
	}
	return rows.slice(0, most);
}

export function* cellsOf(shown: Shown, { from, to }: TextRow, room: number): Generator<Cell> {
	let column = 0;
	for (let at = from; at < to; ) {
		const cell = cellAt(shown, at, { end: to, room, column });
		column = cell.startsRow ? cell.width : column + cell.width;
		at = cell.to;
		yield cell;
	}
}

export function movedByRow<F extends TextField>(field: F, isUp: boolean, columns: number): F | undefined {
	const room = roomOf(columns);
	const { cursor, last } = field;
	const rows = rowsOfLine(field, cursor, room);
	const at = rowOfCursor(rows, cursor);
	const own = rows[at];
	const next = rows[isUp ? at - 1 : at + 1] ?? rowsBeyond(field, cursor, { isUp, most: 1, room })[0];
	if (own === undefined || next === undefined) return undefined;
	const goal = last.is === "moved_rows" ? last.goal : columnOf(field, own, room);
	return moved(field, placeInRow(field, { row: next, room, goal }), { is: "moved_rows", goal });
}

/** The cursor of a full row stands at the begin of the next one. */
export function rowOfCursor(rows: readonly TextRow[], cursor: number): number {
	return rows.findLastIndex(({ from }) => from <= cursor);
}

export function columnOf(field: TextField, row: TextRow, room: number): number {
	let column = 0;
	for (const cell of cellsOf(field, { from: row.from, to: field.cursor }, room)) column += cell.width;
	return column;
}

/** Not behind the last cell of a row that another one follows: that is the begin of the other one. */
function placeInRow(field: TextField, { row, room, goal }: { row: TextRow; room: number; goal: number }): number {
	const isBroken = row.to < field.text.length && field.text[row.to] !== "\n";
	let column = 0;
	let place = row.from;
	for (const cell of cellsOf(field, row, room)) {
		if (column + cell.width > goal || (isBroken && cell.to === row.to)) break;
		column += cell.width;
		place = cell.to;
	}
	return place;
}

/** What is drawn in one piece: a character with its marks, a tab, or the label of a folded paste. Pure. */
interface Cell {
	readonly from: number;
	readonly to: number;
	readonly shown: string;
	readonly width: number;
	readonly isLabel: boolean;
	readonly startsRow: boolean;
}

type Shown = Pick<TextField, "text" | "pastes">;

/** Where a cell stands: at which column of how many. */
interface Room {
	readonly room: number;
	readonly column: number;
}

const TAB_COLUMNS = 4;

function cellAt({ text, pastes }: Shown, at: number, { end, room, column }: Room & { readonly end: number }): Cell {
	const to = cellEnd(text, at, end);
	const piece = text.slice(at, to);
	const label = labelOf(piece, pastes);
	const inRow = (before: number) => (label === undefined ? drawn(piece, room, before) : fitWidth(label, room));
	const there = inRow(column);
	const startsRow = column + displayWidth(there) > room;
	const shown = startsRow ? inRow(0) : there;
	return { from: at, to, shown, width: displayWidth(shown), isLabel: label !== undefined, startsRow };
}

/** The columns of a character that nothing joins, found without drawing it; undefined for others. */
function plainWidth(text: string, at: number, end: number): number | undefined {
	const code = text.codePointAt(at) ?? 0;
	if (code < SPACE || code === DELETE) return undefined;
	const width = code < DELETE ? 1 : agreedWidth(code);
	if (width === undefined || width === 0 || isJamo(code)) return undefined;
	return at + lengthAt(text, at) < end && joins(text, at + lengthAt(text, at)) ? undefined : width;
}

const SPACE = 0x20;
const DELETE = 0x7f;

function lengthAt(text: string, at: number): 1 | 2 {
	return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}

function drawn(piece: string, room: number, column: number): string {
	if (piece === "\t") return " ".repeat(Math.min(room, TAB_COLUMNS - (column % TAB_COLUMNS)));
	if (/^[ -~]$/.test(piece)) return piece;
	const shown = drawableText(piece);
	return displayWidth(shown) > room ? fitWidth(shown, room) : shown;
}

const MOST_MARKS = 32;
/** Joins the character before it: composed with it, or without columns of its own. */
const JOINING = /^[\p{M}\p{Default_Ignorable_Code_Point}\p{Emoji_Modifier}]/u;

function cellEnd(text: string, at: number, end: number): number {
	let to = at + lengthAt(text, at);
	if (text[at] === "\t") return to;
	for (let marks = 0; to < end && marks < MOST_MARKS && joins(text, to); marks++) to += lengthAt(text, to);
	return to;
}

function joins(text: string, at: number): boolean {
	const code = text.codePointAt(at) ?? 0;
	if (code < 0x300) return false;
	const width = agreedWidth(code);
	return width === 0 || isJamo(code) || (width === undefined && JOINING.test(String.fromCodePoint(code)));
}

/** Vowels and ends of Korean syllables, which are composed with what begins these. */
function isJamo(code: number): boolean {
	return code >= 0x1160 && code <= 0x11ff;
}
