/** Lines as what is written to a terminal: pure. Colours are the terminal's own, whose background may be light or dark. */

import { cleanText } from "../../text/safe/terminal-safe.ts";
import { displayWidth } from "../../text/width/width.ts";
import type { ShownLine, Style } from "../text/styled-line.ts";

/** A line as it is written, and as it is seen. */
export interface PaintedLine {
	readonly written: string;
	readonly text: string;
	readonly width: number;
}

export const EMPTY_LINE: PaintedLine = { written: "", text: "", width: 0 };

const TAB_COLUMNS = 4;
const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;

const COLOURS: Readonly<Record<Style, string>> = {
	plain: "",
	strong: "1",
	code: "36",
	heading: "1;36",
	dim: "2",
	command: "33",
	good: "32",
	warn: "33",
	bad: "31",
	selected: "7",
};

/** Whatever is in the line, it stays one line, and obeys nobody. `isPlain`: only what is selected differs from the rest. */
export function paintLine({ parts }: ShownLine, isPlain: boolean): PaintedLine {
	let [written, text] = ["", ""];
	let width = 0;
	for (const part of parts) {
		const shown = shownIn(part.text, width);
		if (shown === "") continue;
		const colour = isPlain && part.style !== "selected" ? "" : COLOURS[part.style];
		written += colour === "" ? shown : `\u001b[${colour}m${shown}\u001b[m`;
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
