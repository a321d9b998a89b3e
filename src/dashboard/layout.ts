/** Where what goes on a screen of a given size. Below 60 columns there is room for one pane at a time. */
import type { Size } from "./styled.ts";

export interface Layout {
	readonly isNarrow: boolean;
	readonly hasHeader: boolean;
	/** A line above the history for what its agent has spent. */
	readonly hasSpent: boolean;
	readonly treeWidth: number;
	readonly historyWidth: number;
	/** Rows of a pane, without its head. */
	readonly paneHeight: number;
}

const NARROW_BELOW_COLUMNS = 60;
const HEADER_FROM_ROWS = 14;
const SPENT_FROM_ROWS = 20;
const LEAST_TREE_WIDTH = 44;
const MOST_TREE_WIDTH = 90;
/** Between the panes: a blank, a line, a blank. */
export const SEPARATOR = " │ ";
const FOOTER_ROWS = 2;
const PANE_HEAD_ROWS = 1;

export function layOut({ columns, rows }: Size): Layout {
	const hasHeader = rows >= HEADER_FROM_ROWS;
	const paneHeight = Math.max(1, rows - FOOTER_ROWS - PANE_HEAD_ROWS - (hasHeader ? 2 : 0));
	const hasSpent = rows >= SPENT_FROM_ROWS;
	if (columns < NARROW_BELOW_COLUMNS)
		return { isNarrow: true, hasHeader, hasSpent, treeWidth: columns, historyWidth: columns, paneHeight };
	const wanted = Math.floor(columns * 0.56);
	const treeWidth = Math.min(Math.max(wanted, LEAST_TREE_WIDTH), MOST_TREE_WIDTH, columns - 24);
	const historyWidth = columns - treeWidth - SEPARATOR.length;
	return { isNarrow: false, hasHeader, hasSpent, treeWidth, historyWidth, paneHeight };
}
