/** Lines of styled segments as the cells of a screen: pure. */
import { cleanText } from "../../text/safe/terminal-safe.ts";
import { characterWidth } from "../../text/width/width.ts";
import type { Line, Size } from "../text/line.ts";
import { type Charset, inCharset } from "./charset.ts";
import { type Colours, type Sgr, sgrOf } from "./palette.ts";

/** One column. The cell behind a wide character is empty; a mark without width is with the character before it. */
export type Cell = readonly [style: Sgr, text: string];
export type Row = readonly Cell[];
/** What a screen shows, from the top. */
export type Frame = readonly Row[];

/** What the terminal can do. */
export interface Abilities {
	readonly colours: Colours;
	readonly charset: Charset;
}

/** Exactly the size: what is too much is cut, what is missing is blank. */
export function frameOf(lines: readonly Line[], { columns, rows }: Size, abilities: Abilities): Frame {
	return Array.from({ length: rows }, (_, y) => rowOf(lines[y] ?? [], columns, abilities));
}

export const BLANK: Cell = ["", " "];

function rowOf(line: Line, columns: number, abilities: Abilities): Row {
	const cells: Cell[] = [];
	for (const piece of line) {
		const style = sgrOf(piece, abilities.colours);
		const text = safeForCells(piece.text);
		if (PLAIN.test(text)) for (const character of text) cells.push([style, character]);
		else cells.push(...cellsOf(text, style, abilities.charset));
		if (cells.length > columns) break;
	}
	return fitted(cells, columns);
}

const PLAIN = /^[ -~]*$/;

/** Panes clean what they show; whatever they missed must not reach the terminal either. */
function safeForCells(text: string): string {
	return PLAIN.test(text) ? text : cleanText(text).replace(/[\n\t]/g, " ");
}

const MOST_MARKS = 4; // terminals keep no more in a cell, and a tower of marks hides the rows above it

function cellsOf(text: string, style: Sgr, charset: Charset): Cell[] {
	const cells: Cell[] = [];
	let base: number | undefined;
	let marks = 0;
	for (const character of text) {
		const width = characterWidth(character);
		if (width > 0) {
			base = cells.push([style, inCharset(character, width, charset)]) - 1;
			marks = 0;
			if (width === 2) cells.push([style, charset === "ascii" ? " " : ""]);
		} else if (base !== undefined && charset === "unicode" && ++marks <= MOST_MARKS)
			cells[base] = [style, `${cells[base]?.[1]}${character}`];
	}
	return cells;
}

/** A wide character that would be cut in two is left out. */
function fitted(cells: Cell[], columns: number): Cell[] {
	const isHalved = cells.length > columns && cells[columns]?.[1] === "";
	const kept = cells.slice(0, isHalved ? columns - 1 : columns);
	while (kept.length < columns) kept.push(BLANK);
	return kept;
}
