/** Keys that move the cursor between rows. Pure. */
import { type Editor, moved } from "./editor.ts";
import { roomOf } from "./margin.ts";
import { cellsOf, rowsBeyond, rowsOfLine, type TextRow } from "./text-rows.ts";

/** To the row above, or below. Undefined where there is none. */
export function movedByRow(editor: Editor, isUp: boolean, columns: number): Editor | undefined {
	const room = roomOf(columns);
	const { cursor, last } = editor;
	const rows = rowsOfLine(editor, cursor, room);
	const at = rowOfCursor(rows, cursor);
	const own = rows[at];
	const next = rows[isUp ? at - 1 : at + 1] ?? rowsBeyond(editor, cursor, { isUp, most: 1, room })[0];
	if (own === undefined || next === undefined) return undefined;
	const goal = last.is === "moved_rows" ? last.goal : columnOf(editor, own, room);
	return moved(editor, placeInRow(editor, { row: next, room, goal }), { is: "moved_rows", goal });
}

/** The cursor of a full row stands at the begin of the next one. */
export function rowOfCursor(rows: readonly TextRow[], cursor: number): number {
	return rows.findLastIndex(({ from }) => from <= cursor);
}

/** In which column of its row the cursor stands. */
export function columnOf(editor: Editor, row: TextRow, room: number): number {
	let column = 0;
	for (const cell of cellsOf(editor, { from: row.from, to: editor.cursor }, room)) column += cell.width;
	return column;
}

interface Place {
	readonly row: TextRow;
	readonly room: number;
	readonly goal: number;
}

/** Not behind the last cell of a row that another one follows: that is the begin of the other one. */
function placeInRow(editor: Editor, { row, room, goal }: Place): number {
	const isBroken = row.to < editor.text.length && editor.text[row.to] !== "\n";
	let column = 0;
	let place = row.from;
	for (const cell of cellsOf(editor, row, room)) {
		if (column + cell.width > goal || (isBroken && cell.to === row.to)) break;
		column += cell.width;
		place = cell.to;
	}
	return place;
}
