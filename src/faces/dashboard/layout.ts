/**
 * How much of the screen each place has. Wide screens have the two sides beside each other, in frames; narrower ones have
 * them below each other, so that both have the full width; small ones have one at a time, as has any while it is zoomed.
 */

import type { Size } from "../../tui/text/line.ts";
import { questionInFront } from "./panes/answer.ts";
import type { Place } from "./scene/pane.ts";
import type { Scene } from "./scene/scene.ts";
import { ANSWER, isOpen } from "./scene/ui-state.ts";

export interface Layout {
	readonly arrangement: "beside" | "stacked" | "single";
	readonly headerRows: number;
	/** Below the header, while an agent asks something. */
	readonly questionBannerRows: number;
	/** Rows of the sides together, with their titles and frames: a box lies over all of them. */
	readonly bodyRows: number;
	/** The bar of keys is always there; above it the last events, where there is room. */
	readonly hasEvents: boolean;
	/** What each side takes, with its title and frame. */
	readonly left: Size;
	readonly right: Size;
}

/** What the layout depends on. */
export type LaidOut = Pick<Scene, "size" | "ui" | "rows" | "run" | "isLost">;

const BESIDE_FROM_COLUMNS = 100;
const STACKED_FROM_ROWS = 16;
const STACKED_FROM_COLUMNS = 50;
const WHOLE_HEADER_FROM_ROWS = 14;
const EVENTS_FROM_ROWS = 20;
const WHOLE_BAND_FROM_ROWS = 14;
/** On a smaller screen a question that is open has the room of the band. */
const BAND_BESIDE_QUESTION_FROM_ROWS = 30;
const BAR_ROWS = 1;
/** The tree has the larger part of the width: a row of it is one line, and a transcript wraps. */
const LEFT_SHARE = 0.54;
const MOST_LEFT_COLUMNS = 110;
/** Of the height the tree has at most this share, and no more than its rows need. */
const TREE_SHARE = 0.45;
const LEAST_TREE_ROWS = 4;
/** The rule with the title, and the line with the heads of the columns. */
const ROWS_ABOVE_TREE = 2;
/** What the frame of a box takes: a line and a blank at each side, a line above and one below. */
const BOX_FRAME: Size = { columns: 4, rows: 2 };
/** The left side has no blanks in its frame, since its rows begin with one. */
const LEFT_FRAME: Size = { columns: 2, rows: 2 };
const RULE: Size = { columns: 0, rows: 1 };

export function layOut(laidOut: LaidOut): Layout {
	const { size, ui, rows, run } = laidOut;
	const headerRows =
		(size.rows >= WHOLE_HEADER_FROM_ROWS ? 2 : 1) + (run.skipsPermissions || run.noSandbox !== undefined ? 1 : 0);
	const hasEvents = size.rows >= EVENTS_FROM_ROWS;
	const questionBannerRows = bandRowsOf(laidOut);
	const bodyRows = Math.max(2, size.rows - headerRows - questionBannerRows - BAR_ROWS - (hasEvents ? 1 : 0));
	const whole = { columns: size.columns, rows: bodyRows };
	const common = { headerRows, questionBannerRows, bodyRows, hasEvents };
	const isSmall = size.rows < STACKED_FROM_ROWS || size.columns < STACKED_FROM_COLUMNS;
	if (ui.isZoomed || isSmall) return { ...common, arrangement: "single", left: whole, right: whole };
	if (size.columns >= BESIDE_FROM_COLUMNS) {
		const columns = Math.min(Math.round(size.columns * LEFT_SHARE), MOST_LEFT_COLUMNS);
		const [left, right] = [
			{ ...whole, columns },
			{ ...whole, columns: size.columns - columns },
		];
		return { ...common, arrangement: "beside", left, right };
	}
	const most = Math.max(LEAST_TREE_ROWS, Math.floor(bodyRows * TREE_SHARE));
	const treeRows = Math.min(most, Math.max(LEAST_TREE_ROWS, rows.length + ROWS_ABOVE_TREE));
	const [left, right] = [
		{ ...whole, rows: treeRows },
		{ ...whole, rows: bodyRows - treeRows },
	];
	return { ...common, arrangement: "stacked", left, right };
}

function bandRowsOf({ size, ui, run, isLost }: LaidOut): number {
	if (questionInFront({ run, ui, isLost }) === undefined) return 0;
	if (isOpen(ui, ANSWER) && size.rows < BAND_BESIDE_QUESTION_FROM_ROWS) return 0;
	return size.rows >= WHOLE_BAND_FROM_ROWS ? 2 : 1;
}

/** The room for the lines of a pane at the place, without its title and its frame. */
export function sizeAt(place: Place, scene: LaidOut): Size {
	const { arrangement, left, right, bodyRows } = layOut(scene);
	const isFramed = arrangement === "beside";
	switch (place.is) {
		case "left":
			return within(left, isFramed ? LEFT_FRAME : RULE);
		case "right":
			return within(right, isFramed ? BOX_FRAME : RULE);
		case "box":
			return within({ columns: Math.min(scene.size.columns, place.mostColumns), rows: bodyRows }, BOX_FRAME);
		case "bar":
			return { columns: scene.size.columns, rows: BAR_ROWS };
	}
}

function within(outer: Size, frame: Size): Size {
	return { columns: Math.max(0, outer.columns - frame.columns), rows: Math.max(1, outer.rows - frame.rows) };
}
