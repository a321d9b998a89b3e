/** Lines as what is written to a terminal: pure. */

import { cleanText } from "../../text/safe/terminal-safe.ts";
import { displayWidth } from "../../text/width/width.ts";
import type { Line } from "../text/line.ts";
import { type Colours, sgrOf } from "./palette.ts";

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
export function paintLine(line: Line, colours: Colours): PaintedLine {
	let [written, text] = ["", ""];
	let width = 0;
	for (const piece of line) {
		const shown = shownIn(piece.text, width);
		if (shown === "") continue;
		const sgr = sgrOf(piece, colours);
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
