/** Rows as aligned columns, as wide as the terminal. Pure. */
import { displayWidth, fitWidth, padWidth } from "../../text/width/width.ts";
import type { Paint, Tone } from "./paint.ts";

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
