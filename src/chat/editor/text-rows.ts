/**
 * Lines of the editor's text as rows of a terminal, broken where they are full. Only lines that are asked for are looked at, so
 * a key costs no more than the line it is pressed in. Pure.
 */
import { type Cell, cellAt, lengthAt, plainWidth, type Shown } from "./cells.ts";
import { lineEnd, lineStart } from "./characters.ts";

/** Where in the text a row stands: up to `to`, without the line feed. */
export interface TextRow {
	readonly from: number;
	readonly to: number;
}

const PLAIN = /^[ -~]*$/;

/** The rows of the line that holds `at`; at least one. */
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

/** The cells of a row. */
export function* cellsOf(shown: Shown, { from, to }: TextRow, room: number): Generator<Cell> {
	let column = 0;
	for (let at = from; at < to; ) {
		const cell = cellAt(shown, at, { end: to, room, column });
		column = cell.startsRow ? cell.width : column + cell.width;
		at = cell.to;
		yield cell;
	}
}
