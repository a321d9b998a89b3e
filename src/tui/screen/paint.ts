/** Lines as what is written to a terminal: pure. */
import { WriteStream } from "node:tty";
import { cleanText } from "../../text/safe/terminal-safe.ts";
import { displayWidth } from "../../text/width/width.ts";
import type { Line, Segment, Style } from "../text/line.ts";

/** A line as it is written, and as it is seen. */
export interface PaintedLine {
	readonly written: string;
	readonly text: string;
	readonly width: number;
}

export const NOTHING_PAINTED: PaintedLine = { written: "", text: "", width: 0 };

const TAB_COLUMNS = 4;
const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;

/** Whatever is in the line, it stays one line, and obeys nobody. */
export function paintLine(line: Line, colors: Colors): PaintedLine {
	let [written, text] = ["", ""];
	let width = 0;
	for (const piece of line) {
		const shown = shownIn(piece.text, width);
		if (shown === "") continue;
		const sgr = sgrOf(piece, colors);
		written += sgr === "" ? shown : `\u001b[${sgr}m${shown}\u001b[m`;
		text += shown;
		width += displayWidth(shown);
	}
	return { written, text, width };
}

/** A tab would leave what stands in the columns that it skips. */
function shownIn(text: string, column: number): string {
	if (PRINTABLE_ASCII.test(text)) return text;
	const [first = "", ...others] = cleanText(text).replace(/\n/g, " ").split("\t");
	let shown = first;
	let at = column + displayWidth(first);
	for (const other of others) {
		const blanks = TAB_COLUMNS - (at % TAB_COLUMNS);
		shown += " ".repeat(blanks) + other;
		at += blanks + displayWidth(other);
	}
	return shown;
}

/**
 * How each style looks: pure. A style keeps its difference without colors, too: bold, dim and inverse stay. Backgrounds are the
 * terminal's own, which may be light or dark.
 */

/**
 * `many`: fixed colors of the 256. `few`: the terminal's own 16, whatever they look like. `none`: bold, dim and inverse.
 * `bare`: inverse alone.
 */
export type Colors = "bare" | "none" | "few" | "many";

/** Parameters of SGR; empty: as the terminal shows text that nobody has styled. */
export type Sgr = string;

const BOLD = "1";
const DIM = "2";
const INVERSE = "7";

const LOOKS: Readonly<Record<Style, { readonly none: Sgr; readonly few?: Sgr; readonly many?: Sgr }>> = {
	plain: { none: "" },
	strong: { none: BOLD },
	dim: { none: DIM, few: DIM, many: "38;5;243" },
	heading: { none: BOLD, few: "1;36", many: "1;38;5;31" },
	code: { none: "", few: "36", many: "38;5;31" },
	command: { none: "", few: "33", many: "38;5;130" },
	busy: { none: "", few: "36", many: "38;5;31" },
	calm: { none: "", few: "35", many: "38;5;133" },
	good: { none: "", few: "32", many: "38;5;28" },
	bad: { none: BOLD, few: "31", many: "38;5;196" },
	warn: { none: "", few: "33", many: "38;5;130" },
	alert: { none: "1;7", few: "1;7;33", many: "1;7;38;5;130" },
	danger: { none: "1;7", few: "1;7;31", many: "1;7;38;5;160" },
};

/** The selected line has no colors: inverted they would make a patchwork of it. */
export function sgrOf({ style, isSelected = false }: Segment, colors: Colors): Sgr {
	const look = LOOKS[style];
	if (colors === "bare") return isSelected || look.none === "1;7" ? INVERSE : "";
	if (isSelected) return look.none.startsWith(BOLD) && style !== "bad" ? `${BOLD};${INVERSE}` : INVERSE;
	return colors === "none" ? look.none : (look[colors] ?? look.none);
}

const MANY_BITS = 8;
const FEW_BITS = 4;

/** https://no-color.org: a NO_COLOR that is not empty wins. Else Node knows which terminals have how many. */
export function colorsOf(env: Readonly<Record<string, string | undefined>>): Exclude<Colors, "bare"> {
	const { NO_COLOR, NODE_DISABLE_COLORS: _, ...others } = env; // beside FORCE_COLOR both make Node warn on stderr
	if (NO_COLOR) return "none";
	const bits = WriteStream.prototype.getColorDepth(others);
	return bits >= MANY_BITS ? "many" : bits >= FEW_BITS ? "few" : "none";
}
