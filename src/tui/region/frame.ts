/**
 * What to write so that lines are appended above the live region for good, and the region is as it should be: pure. Nothing is
 * erased but the region's own rows, and of these only what changes is written, so neither the scrollback nor what somebody
 * reads on the screen jumps. There is no place on the screen but relative to the cursor.
 */
import type { TerminalSize } from "../../terminal/terminal-size.ts";
import type { Cursor } from "../text/line.ts";
import { type Drawn, type Reflow, rowsAboveCursor } from "./drawn.ts";
import { NOTHING_PAINTED, type PaintedLine } from "./paint.ts";

export interface FrameOf {
	readonly drawn: Drawn;
	/** Lines that are appended, each with its end; longer than the terminal is wide it is broken by that. */
	readonly appended: string;
	/** Each narrower than the terminal, and not more than this has rows. */
	readonly rows: readonly PaintedLine[];
	readonly cursor: Cursor;
	readonly size: TerminalSize;
	/** The terminal has another size than when the region was drawn: where its rows stand is reckoned, and each is written anew. */
	readonly isResized: boolean;
	readonly reflow: Reflow;
}

export interface Frame {
	/** Empty when the terminal shows it already. */
	readonly written: string;
	readonly drawn: Drawn;
}

const CSI = "\u001b[";
const ERASE_ROW = `${CSI}K`;
const ERASE_BELOW = `${CSI}J`;
/**
 * The row of the cursor, which stands at its beginning, and all below. In two steps: tmux takes an erasure of the whole screen
 * for a wish to keep what is on it, and moves that up into the scrollback.
 */
const ERASE_REGION = `\u001b7${ERASE_ROW}${CSI}B${ERASE_BELOW}\u001b8`;
/** Terminals that know it show all that is between the two at once; the others ignore it. */
const BEGIN = `${CSI}?2026h${CSI}?25l`;
const END = `${CSI}?25h${CSI}?2026l`;

export function frameOf(of: FrameOf): Frame {
	const rows = of.rows.length === 0 ? [NOTHING_PAINTED] : of.rows;
	const drawn = { rows, cursor: of.cursor, columns: of.size.columns };
	const isAnew = of.isResized || of.appended !== "";
	const changes = isAnew ? drawnAnew(of, rows) : changedRows(of.drawn, rows);
	const row = changes?.row ?? of.drawn.cursor.row;
	const isMoved = row !== of.cursor.row || changes !== undefined || of.drawn.cursor.column !== of.cursor.column;
	if (!isMoved) return { written: "", drawn };
	return { written: BEGIN + (changes?.written ?? "") + placed(row, of.cursor) + END, drawn };
}

/** What to write when the region and the screen below it are to be empty, with the cursor at its beginning. */
export function erased(drawn: Drawn, columns: number, reflow: Reflow): string {
	return `${toTop(rowsAboveCursor(drawn, columns, reflow))}${ERASE_REGION}`;
}

/** What moves to the next row, unless the cursor stands at the beginning of one: what a program has left there stays. */
export function freshRow(columns: number): string {
	return `${" ".repeat(columns - 1)}\r`;
}

interface Change {
	readonly written: string;
	/** Where the cursor is left. */
	readonly row: number;
}

/**
 * The lines, and below them all rows of the region. Rows are erased before they are written, never behind their text: tmux
 * would count what it erases there as blanks of the line, and break them when it becomes narrower.
 */
function drawnAnew({ drawn, appended, size, reflow }: FrameOf, rows: readonly PaintedLine[]): Change {
	const above = rowsAboveCursor(drawn, size.columns, reflow);
	let written = toTop(above) + ERASE_REGION;
	if (above >= size.rows) written += "\r\n"; // the screen begins within a row that was broken, and would be joined to it
	return { written: written + appended + rows.map((row) => row.written).join("\r\n"), row: rows.length - 1 };
}

/** Undefined when no row is another one than before. */
function changedRows({ rows: before, cursor }: Drawn, rows: readonly PaintedLine[]): Change | undefined {
	let { row } = cursor;
	let last = before.length - 1;
	let written = "";
	const goTo = (to: number) => {
		written += vertically(Math.min(to, last) - row);
		for (row = Math.min(to, last); row < to; row++) written += "\r\n";
		last = Math.max(last, to);
		written += "\r";
	};
	for (const [at, line] of rows.entries()) {
		if (at < before.length && before[at]?.written === line.written) continue;
		goTo(at);
		const isShorter = (before[at]?.width ?? 0) > line.width;
		written += (isShorter ? ERASE_ROW : "") + line.written;
	}
	if (rows.length < before.length) {
		goTo(rows.length);
		written += ERASE_BELOW;
	}
	return written === "" ? undefined : { written, row };
}

function toTop(rows: number): string {
	return `\r${vertically(-rows)}`;
}

function vertically(rows: number): string {
	if (rows === 0) return "";
	return rows < 0 ? `${CSI}${-rows}A` : `${CSI}${rows}B`;
}

function placed(row: number, cursor: Cursor): string {
	return `\r${vertically(cursor.row - row)}${cursor.column === 0 ? "" : `${CSI}${cursor.column}C`}`;
}
