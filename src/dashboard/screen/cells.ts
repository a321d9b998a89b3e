/** Lines of styled segments as the cells of a screen: pure. */
import { cleanText } from "../../text/terminal-safe.ts";
import { characterWidth } from "../../text/width.ts";
import type { Line, Segment, Tone } from "../scene/line.ts";

/** Attributes as blessed packs them. */
export type Cell = [attributes: number, text: string];

/** One cell a column. The cell behind a wide character is empty; a mark without width joins the character before it. */
export function cellsOf(line: Line, columns: number, hasColours: boolean): Cell[] {
	const cells: Cell[] = [];
	for (const piece of line) {
		const attributes = attributesOf(piece, hasColours);
		for (const character of safeForCells(piece.text)) {
			const width = characterWidth(character);
			if (width === 0) joinToLast(cells, character);
			else if (cells.length + width > columns) break;
			else cells.push([attributes, character]);
			if (width === 2) cells.push([attributes, ""]);
		}
	}
	while (cells.length < columns) cells.push([PLAIN, " "]);
	return cells;
}

/** Panes clean what they show; whatever they missed must not reach the terminal either. */
function safeForCells(text: string): string {
	return cleanText(text).replace(/[\n\t]/g, " ");
}

function joinToLast(cells: readonly Cell[], mark: string): void {
	const last = cells.findLast(([, text]) => text !== "");
	if (last !== undefined) last[1] += mark;
}

export function hasWide(cells: readonly Cell[]): boolean {
	return cells.some(([, text]) => text === "");
}

const NO_COLOUR = 0x1ff;
const PLAIN = attributes(0, NO_COLOUR);
const BOLD = 1;
const INVERSE = 8;
const [RED, GREEN, YELLOW, MAGENTA, CYAN, GREY] = [1, 2, 3, 5, 6, 245] as const;

/** Grey 245 of the 256 colours is readable on a dark and on a light terminal; "bright black" is not. */
const TONES: Record<Tone, readonly [bits: number, colour: number]> = {
	plain: [0, NO_COLOUR],
	strong: [BOLD, NO_COLOUR],
	dim: [0, GREY],
	heading: [BOLD, CYAN],
	busy: [0, CYAN],
	calm: [0, MAGENTA],
	good: [0, GREEN],
	bad: [0, RED],
	warn: [0, YELLOW],
	alert: [BOLD | INVERSE, YELLOW],
};

/** The selected line has no colours: inverted they would make a patchwork of it. */
function attributesOf({ tone, isSelected }: Segment, hasColours: boolean): number {
	const [bits, colour] = TONES[tone];
	if (isSelected === true) return attributes((bits & BOLD) | INVERSE, NO_COLOUR);
	return attributes(bits, hasColours ? colour : NO_COLOUR);
}

/** A cell's attributes as blessed packs them: flags, foreground, background. The background stays the terminal's. */
function attributes(bits: number, colour: number): number {
	return (bits << 18) | (colour << 9) | NO_COLOUR;
}
