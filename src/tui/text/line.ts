/** Lines of styled segments, which all that a face shows is made of. A style says what a segment means; palette.ts knows its look. */
import { displayWidth, padWidth } from "../../text/width/width.ts";

export type Style =
	| "plain"
	| "strong"
	| "dim"
	| "heading"
	| "code"
	| "command"
	| "busy"
	| "calm"
	| "good"
	| "warn"
	| "bad"
	| "alert"
	| "danger";

export interface Segment {
	readonly text: string;
	readonly style: Style;
	readonly isSelected?: boolean;
}

export type Line = readonly Segment[];

export interface Size {
	readonly columns: number;
	readonly rows: number;
}

/** Where a person writes; counted from 0, at the top and at the left. */
export interface Cursor {
	readonly row: number;
	readonly column: number;
}

export const EMPTY_LINE: Line = [];

export function segment(text: string, style: Style = "plain"): Segment {
	return { text, style };
}

/** Exactly `columns` wide: cut with `…` when too long, filled with blanks when too short. */
export function fitLine(line: Line, columns: number): Line {
	const fitted: Segment[] = [];
	let left = columns;
	for (const piece of line) {
		if (left === 0) break;
		const width = Math.min(left, displayWidth(piece.text));
		if (width > 0) fitted.push({ ...piece, text: padWidth(piece.text, width) });
		left -= width;
	}
	if (left > 0) fitted.push(segment(" ".repeat(left)));
	return fitted;
}

export function selectLine(line: Line): Line {
	return line.map((piece) => ({ ...piece, isSelected: true }));
}

export function lineWidth(line: Line): number {
	return line.reduce((sum, piece) => sum + displayWidth(piece.text), 0);
}

export function textOf(line: Line): string {
	return line.map(({ text }) => text).join("");
}

/** Exactly `rows` lines: cut, or filled with empty ones. */
export function fitLines(lines: readonly Line[], rows: number): Line[] {
	return Array.from({ length: Math.max(0, rows) }, (_, row) => lines[row] ?? EMPTY_LINE);
}
