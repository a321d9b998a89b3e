/**
 * Lines of styled segments, which all that is shown is made of. A tone says what a segment means; screen.ts alone knows
 * the colour of each tone.
 */
import { displayWidth, padWidth } from "../../text/width/width.ts";

export type Tone =
	| "plain"
	| "strong"
	| "dim"
	| "heading"
	| "busy"
	| "calm"
	| "good"
	| "bad"
	| "warn"
	| "alert"
	| "danger";

export interface Segment {
	readonly text: string;
	readonly tone: Tone;
	readonly isSelected?: boolean;
}

export type Line = readonly Segment[];

export interface Size {
	readonly columns: number;
	readonly rows: number;
}

const EMPTY_LINE: Line = [];

export function segment(text: string, tone: Tone = "plain"): Segment {
	return { text, tone };
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

/** Exactly `rows` lines: cut, or filled with empty ones. */
export function fitLines(lines: readonly Line[], rows: number): Line[] {
	return Array.from({ length: Math.max(0, rows) }, (_, row) => lines[row] ?? EMPTY_LINE);
}
