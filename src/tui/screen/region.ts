/** The live region: what stands below all that was appended, and changes. Pure. */
import { type Cursor, EMPTY_LINE, type Line, type Size } from "../text/line.ts";
import { rowsOf } from "../text/styled-line.ts";

/** Rows from above to below; each is cut where it is too wide. */
export interface Region {
	readonly rows: readonly Line[];
	readonly cursor: Cursor;
}

export interface RegionOf {
	readonly size: Size;
	/** What goes on, in so many rows at most. */
	readonly live: (room: number) => readonly Line[];
	readonly editor: { readonly rows: readonly Line[]; readonly cursor: Cursor };
	/** What the editor offers, below it. */
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
