/**
 * What to write so that lines are appended above the live region for good, and the region is as it should be: pure. Nothing is
 * erased but the region's own rows, and of these only what changes is written, so neither the scrollback nor what somebody
 * reads on the screen jumps or flickers. There is no place on the screen but relative to the cursor.
 */
import { type Cursor, type Drawn, type Reflow, rowsAboveCursor } from "./drawn.ts";
import { EMPTY_LINE, type PaintedLine } from "./paint.ts";

export interface FrameOf {
	readonly drawn: Drawn;
	/** What is appended; longer than the terminal is wide it is broken by that. */
	readonly lines: readonly PaintedLine[];
	/** Each narrower than the terminal, and not more than this has rows. */
	readonly rows: readonly PaintedLine[];
	readonly cursor: Cursor;
	readonly columns: number;
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
const ERASE_TO_END = `${CSI}K`;
const ERASE_BELOW = `${CSI}J`;
/** Terminals that know it show all that is between the two at once; the others ignore it. */
const BEGIN = `${CSI}?2026h${CSI}?25l`;
const END = `${CSI}?25h${CSI}?2026l`;

export function frameOf(of: FrameOf): Frame {
	const rows = of.rows.length === 0 ? [EMPTY_LINE] : of.rows;
	const drawn = { rows, cursor: of.cursor, columns: of.columns };
	const isAnew = of.isResized || of.lines.length > 0;
	const changes = isAnew ? drawnAnew(of, rows) : changedRows(of.drawn, rows);
	const row = changes?.row ?? of.drawn.cursor.row;
	const isMoved = row !== of.cursor.row || changes !== undefined || of.drawn.cursor.column !== of.cursor.column;
	if (!isMoved) return { written: "", drawn };
	return { written: BEGIN + (changes?.written ?? "") + placed(row, of.cursor) + END, drawn };
}

/** What to write when the region and the screen below it are to be empty, with the cursor at its beginning. */
export function erased(drawn: Drawn, columns: number, reflow: Reflow): string {
	return `${toTop(rowsAboveCursor(drawn, columns, reflow))}${ERASE_BELOW}`;
}

interface Change {
	readonly written: string;
	/** Where the cursor is left. */
	readonly row: number;
}

/** The lines, and below them all rows of the region. What is written over is not erased before. */
function drawnAnew(of: FrameOf, rows: readonly PaintedLine[]): Change {
	const { drawn, columns, isResized, reflow } = of;
	let written = toTop(rowsAboveCursor(drawn, columns, reflow)) + (isResized ? ERASE_BELOW : "");
	for (const line of of.lines) written += appended(line, columns);
	const last = rows.length - 1;
	for (const [row, line] of rows.entries())
		written += line.written + (row < last ? `${ERASE_TO_END}\r\n` : ERASE_BELOW);
	return { written, row: last };
}

/** Behind a line that fills its last row nothing can be erased: the cursor still stands on the last character. */
function appended({ written, width }: PaintedLine, columns: number): string {
	return width < columns ? `${written}${ERASE_TO_END}\r\n` : `${ERASE_BELOW}${written}\r\n`;
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
		written += line.written + ERASE_TO_END;
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
