/** The live region: what stands below all that was appended, and changes. Pure. */
import { characterWidth } from "../../text/width/width.ts";
import { type Cursor, EMPTY_LINE, type Line, rowsOf, type Size } from "../text/line.ts";
import { NOTHING_PAINTED, type PaintedLine } from "./paint.ts";

/** Rows from above to below; each is cut where it is too wide. */
export interface Region {
	readonly rows: readonly Line[];
	readonly cursor: Cursor;
}

interface RegionOf {
	readonly size: Size;
	readonly live: (room: number) => readonly Line[];
	readonly editor: { readonly rows: readonly Line[]; readonly cursor: Cursor };
	readonly offers: readonly Line[];
	/** What an agent asks, in so many rows at most; it stands right above the editor. */
	readonly asked?: (room: number) => readonly Line[];
	readonly status: Line | undefined;
}

/** So much of the screen is left to what was appended last. */
const LEFT_SHARE = 1 / 4;
const MOST_OFFERS = 10;
/** Where there are so many rows for what goes on, one of them parts it from what is being typed. */
const LEAST_FOR_GAP = 4;
const MOST_ASKED = 2;

/**
 * Where there is too little room what goes on goes first, then the offers, the status and what is asked; of a long text the rows around
 * the cursor stay.
 */
export function composeRegion({ size, live, editor, offers, asked, status }: RegionOf): Region {
	const room = mostRows(size);
	const text = around(editor.rows, editor.cursor.row, room);
	const question = asked?.(Math.max(0, Math.min(MOST_ASKED, room - text.rows.length))) ?? [];
	const taken = text.rows.length + question.length;
	const below = status === undefined || taken >= room ? [] : [status];
	const offered = offers.slice(0, Math.max(0, Math.min(MOST_OFFERS, room - taken - below.length)));
	const left = room - taken - offered.length - below.length;
	const gap = left >= LEAST_FOR_GAP ? [EMPTY_LINE] : [];
	const most = left - gap.length;
	const above = [...(most > 0 ? live(most).slice(-most) : []), ...gap];
	const row = above.length + question.length + editor.cursor.row - text.from;
	return {
		rows: [...above, ...question, ...text.rows, ...offered, ...below],
		cursor: { row, column: editor.cursor.column },
	};
}

/** How many rows the region may have: never all, so that what is appended can be seen. */
export function mostRows({ rows }: Size): number {
	return Math.max(1, rows - Math.max(1, Math.floor(rows * LEFT_SHARE)));
}

function around<T>(rows: readonly T[], row: number, room: number): { rows: readonly T[]; from: number } {
	if (rows.length <= room) return { rows, from: 0 };
	const from = Math.max(0, Math.min(rows.length - room, row - Math.floor(room / 2)));
	return { rows: rows.slice(from, from + room), from };
}

/** The part of a line that fits into one row. */
export function cutLine(line: Line, columns: number): Line {
	const parts = line.map((piece) => ({ ...piece, from: 0 }));
	return rowsOf({ parts, hang: 0, from: 0, isVerbatim: true }, Math.max(1, columns))[0]?.parts ?? EMPTY_LINE;
}

/**
 * What to write so that lines are appended above the live region for good, and the region is as it should be: pure. Nothing is
 * erased but the region's own rows, and of these only what changes is written, so neither the scrollback nor what somebody
 * reads on the screen jumps. There is no place on the screen but relative to the cursor. The terminal's own screen cannot be read: all
 * that is known of it are the rows that were written last, where the cursor was left, and how wide the terminal was then.
 */

export interface Drawn {
	/** At least one; each is narrower than the terminal was. */
	readonly rows: readonly PaintedLine[];
	readonly cursor: Cursor;
	readonly columns: number;
}

/**
 * What becomes of a row that is too long for a terminal that has become narrower. `wraps`: it goes on in the next one. `cut`: it
 * stays one row. `wraps_above`: those that wrap are above the row with the cursor; that one is cut.
 */
export type Reflow = "wraps" | "wraps_above" | "cut";

export function nothingDrawn(columns: number): Drawn {
	return { rows: [NOTHING_PAINTED], cursor: { row: 0, column: 0 }, columns };
}

interface RegionFrameOf {
	readonly drawn: Drawn;
	/** Lines that are appended, each with its end; longer than the terminal is wide it is broken by that. */
	readonly appended: string;
	/** Each narrower than the terminal, and not more than this has rows. */
	readonly rows: readonly PaintedLine[];
	readonly cursor: Cursor;
	readonly size: Size;
	/** The terminal has another size than when the region was drawn: where its rows stand is reckoned, and each is written again. */
	readonly isResized: boolean;
	readonly reflow: Reflow;
}

interface RegionFrame {
	readonly written: string;
	readonly drawn: Drawn;
}

const CSI = "\u001b[";
const ERASE_ROW = `${CSI}K`;
const ERASE_BELOW = `${CSI}J`;
/**
 * The row of the cursor, which stands at its beginning, and all below. In two steps: tmux takes an erasure of the whole screen
 * for a request to keep what is on it, and moves that up into the scrollback.
 */
const ERASE_REGION = `\u001b7${ERASE_ROW}${CSI}B${ERASE_BELOW}\u001b8`;
/** Terminals that know it show all that is between the two at once; the others ignore it. */
const BEGIN = `${CSI}?2026h${CSI}?25l`;
const END = `${CSI}?25h${CSI}?2026l`;

export function regionFrame(of: RegionFrameOf): RegionFrame {
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
	readonly row: number;
}

/**
 * The lines, and below them all rows of the region. Rows are erased before they are written, never behind their text: tmux
 * would count what it erases there as blanks of the line, and break them when it becomes narrower.
 */
function drawnAnew({ drawn, appended, size, reflow }: RegionFrameOf, rows: readonly PaintedLine[]): Change {
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

/**
 * How many rows above the cursor the region begins, when the terminal has become `columns` wide. Where that is in doubt it is
 * the lower number: a row of the region that is left over is better than one of the scrollback that is gone.
 */
function rowsAboveCursor({ rows, cursor, columns: before }: Drawn, columns: number, reflow: Reflow): number {
	if (columns >= before || reflow === "cut") return cursor.row;
	const above = rows.slice(0, cursor.row).reduce((sum, { text }) => sum + rowsTaken(text, columns), 0);
	if (reflow === "wraps_above") return above;
	const own = rows[cursor.row]?.text ?? "";
	return above + rowsTaken(own.slice(0, unitsIn(own, cursor.column + 1)), columns) - 1;
}

function rowsTaken(text: string, columns: number): number {
	let rows = 1;
	let column = 0;
	for (const character of text) {
		const width = characterWidth(character);
		if (column + width > columns) {
			rows++;
			column = 0;
		}
		column += width;
	}
	return rows;
}

/** How many UTF-16 units stand in the first `columns` columns. */
function unitsIn(text: string, columns: number): number {
	let units = 0;
	let column = 0;
	for (const character of text) {
		if (column >= columns) break;
		column += characterWidth(character);
		units += character.length;
	}
	return units;
}
