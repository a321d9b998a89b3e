/**
 * What the terminal shows of the live region: pure. The terminal's own screen cannot be read, so this is all that is known: the
 * rows that were written last, where the cursor was left, and how wide the terminal was then.
 */
import { characterWidth } from "../../text/width/width.ts";
import type { Cursor } from "../text/line.ts";
import { NOTHING_PAINTED, type PaintedLine } from "./paint.ts";

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

/**
 * How many rows above the cursor the region begins, when the terminal has become `columns` wide. Where that is in doubt it is
 * the lower number: a row of the region that is left over is better than one of the scrollback that is gone.
 */
export function rowsAboveCursor({ rows, cursor, columns: before }: Drawn, columns: number, reflow: Reflow): number {
	if (columns >= before || reflow === "cut") return cursor.row;
	const above = rows.slice(0, cursor.row).reduce((sum, { text }) => sum + rowsTaken(text, columns), 0);
	if (reflow === "wraps_above") return above;
	const own = rows[cursor.row]?.text ?? "";
	return above + rowsTaken(own.slice(0, unitsIn(own, cursor.column + 1)), columns) - 1;
}

/** A wide character that does not fit into the last column goes to the next row as a whole. */
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
