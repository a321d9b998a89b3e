/** Text as the lines that a command prints: safe for a terminal, and on one as wide as it is. Pure. */
import { redactKnown } from "../../text/safe/redact.ts";
import { stripControl } from "../../text/safe/terminal-safe.ts";
import { displayWidth, fitWidth, padWidth } from "../../text/width/width.ts";
import { wrapText } from "../../text/width/wrap.ts";
import type { Paint, Tone } from "./paint.ts";

export interface Rows {
	/** The width of the terminal; undefined when there is none: then no line is broken. */
	readonly columns: number | undefined;
	/** What stands before the text. */
	readonly first?: string;
	/** What stands before its other lines; default: as much space. */
	readonly rest?: string;
	/** What stands before the rows that a line goes on in; default: as much space. */
	readonly more?: string;
}

const LEAST_COLUMNS = 10;

/** An empty text has no rows, and the line feed that ends the last line begins no other. */
export function rowsOf(text: string, { columns, first = "", ...margin }: Rows): string[] {
	const space = " ".repeat(displayWidth(first));
	const { rest = space, more = space } = margin;
	return linesOf(text).flatMap((line, n) => {
		const before = n === 0 ? first : rest;
		const rows = columns === undefined ? [line] : wrapText(line, Math.max(LEAST_COLUMNS, columns - space.length));
		return rows.map((row, at) => (at === 0 ? before : more) + row);
	});
}

function linesOf(text: string): string[] {
	const clean = stripControl(redactKnown(text)).replace(/\n+$/, ""); // before a line is broken: a part of a secret is one, too
	return clean === "" ? [] : clean.split("\n");
}

/** Rows as aligned columns, as wide as the terminal. Pure. */

export interface Cell {
	readonly text: string;
	readonly tone?: Tone | undefined;
}

/** A column that would be empty in all rows is left out, and so is one for which the terminal is too narrow. */
export interface Column<Row> {
	readonly head: string;
	readonly cell: (row: Row) => Cell;
	/** Numbers. */
	readonly toRight?: true;
	/** The least width of a terminal on which it is shown. */
	readonly from?: number;
	/** The most columns that it takes on a terminal, and how a longer text is cut. */
	readonly most?: { readonly columns: number; readonly cut: (text: string, columns: number) => string };
}

export interface ColumnsView {
	readonly paint: Paint;
	/** The width of the terminal; undefined: all columns are shown, and nothing is cut. */
	readonly columns: number | undefined;
}

const GAP = "  ";

/** The last column has all the room that is left, and is cut where that ends. `lines`: one for each row. */
export function alignColumns<Row>(
	columns: readonly Column<Row>[],
	rows: readonly Row[],
	view: ColumnsView,
): { readonly header: string; readonly lines: readonly string[] } {
	const room = view.columns ?? Number.POSITIVE_INFINITY;
	const used = columns.flatMap((column) => {
		const cells = room < (column.from ?? 0) ? [] : rows.map((row) => fitted(column.cell(row), column, view));
		if (cells.every(({ text }) => text === "")) return [];
		const width = cells.reduce((most, { text }) => Math.max(most, displayWidth(text)), displayWidth(column.head));
		return [{ column, cells, width }];
	});
	const line = (cellOf: (of: (typeof used)[number]) => Cell): string => {
		let left = room;
		const shown = used.map((of, at): Cell => {
			const { text, tone } = cellOf(of);
			const padded = at === used.length - 1 ? text : padWidth(text, of.width, of.column.toRight === true);
			const cut = fitWidth(padded, Math.max(0, left));
			left -= displayWidth(padded) + GAP.length;
			return { text: cut, tone };
		});
		return joined(shown, view.paint);
	};
	return {
		header: line(({ column }) => ({ text: column.head, tone: "dim" })),
		lines: rows.map((_, at) => line(({ cells }) => cells[at] ?? { text: "" })),
	};
}

function fitted<Row>({ text, tone }: Cell, { most }: Column<Row>, { columns }: ColumnsView): Cell {
	return { text: most === undefined || columns === undefined ? text : most.cut(text, most.columns), tone };
}

/** Without blanks at the end, painted or not. */
function joined(cells: readonly Cell[], paint: Paint): string {
	const last = cells.findLastIndex(({ text }) => text.trim() !== "");
	const shown = cells
		.slice(0, last + 1)
		.map(({ text, tone }, at) => paint.tone(at === last ? text.trimEnd() : text, tone));
	return shown.join(GAP);
}
