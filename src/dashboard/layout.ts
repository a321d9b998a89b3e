/** How much of the screen each place has. A screen of fewer than 60 columns shows one side at a time. */
import type { Size } from "./scene/line.ts";
import type { Place } from "./scene/pane.ts";

export interface Layout {
	readonly isNarrow: boolean;
	readonly hasHeader: boolean;
	readonly leftWidth: number;
	readonly rightWidth: number;
	/** Rows of a side, without its title. */
	readonly sideHeight: number;
	/** Rows above the bar: a box lies over all of them. */
	readonly bodyHeight: number;
}

const NARROW_BELOW_COLUMNS = 60;
const HEADER_FROM_ROWS = 14;
const LEAST_LEFT_WIDTH = 44;
const MOST_LEFT_WIDTH = 90;
const LEAST_RIGHT_WIDTH = 21;
/** Between the sides: a blank, a line, a blank. */
export const SEPARATOR = " │ ";
const HEADER_ROWS = 2;
const BAR_ROWS = 2;
const TITLE_ROWS = 1;
/** What the frame of a box takes: a line and a blank at each side, a line above and one below. */
const FRAME: Size = { columns: 4, rows: 2 };

export function layOut({ columns, rows }: Size): Layout {
	const hasHeader = rows >= HEADER_FROM_ROWS;
	const headerHeight = hasHeader ? HEADER_ROWS : 0;
	const sideHeight = Math.max(1, rows - BAR_ROWS - TITLE_ROWS - headerHeight);
	const common = { hasHeader, sideHeight, bodyHeight: headerHeight + sideHeight + TITLE_ROWS };
	if (columns < NARROW_BELOW_COLUMNS) return { ...common, isNarrow: true, leftWidth: columns, rightWidth: columns };
	const wanted = Math.max(Math.floor(columns * 0.56), LEAST_LEFT_WIDTH);
	const leftWidth = Math.min(wanted, MOST_LEFT_WIDTH, columns - SEPARATOR.length - LEAST_RIGHT_WIDTH);
	return { ...common, isNarrow: false, leftWidth, rightWidth: columns - leftWidth - SEPARATOR.length };
}

/** The room for the lines of a pane at the place, without its title. */
export function sizeAt(place: Place, screen: Size): Size {
	const { leftWidth, rightWidth, sideHeight, bodyHeight } = layOut(screen);
	switch (place.is) {
		case "left":
			return { columns: leftWidth, rows: sideHeight };
		case "right":
			return { columns: rightWidth, rows: sideHeight };
		case "box":
			return {
				columns: Math.max(0, Math.min(screen.columns, place.mostColumns) - FRAME.columns),
				rows: Math.max(1, bodyHeight - FRAME.rows),
			};
		case "bar":
			return { columns: screen.columns, rows: BAR_ROWS - TITLE_ROWS };
	}
}
