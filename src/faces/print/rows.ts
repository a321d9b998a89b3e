/** Text as the lines that a command prints: safe for a terminal, and on one as wide as it is. Pure. */
import { redactKnown } from "../../text/safe/redact.ts";
import { stripControl } from "../../text/safe/terminal-safe.ts";
import { displayWidth } from "../../text/width/width.ts";
import { wrapText } from "../../text/width/wrap.ts";

export interface Rows {
	/** The width of the terminal; undefined when there is none: then no line is broken. */
	readonly columns: number | undefined;
	/** What stands before the text. */
	readonly first?: string;
	/** What stands before its other lines; default: as much space. */
	readonly rest?: string;
	/** What stands before the rows that a line goes on in; default: as much space. */
	readonly more?: string;
}

const LEAST_COLUMNS = 10;

/** An empty text has no rows, and the line feed that ends the last line begins no other. */
export function rowsOf(text: string, { columns, first = "", ...margin }: Rows): string[] {
	const space = " ".repeat(displayWidth(first));
	const { rest = space, more = space } = margin;
	return linesOf(text).flatMap((line, n) => {
		const before = n === 0 ? first : rest;
		const rows = columns === undefined ? [line] : wrapText(line, Math.max(LEAST_COLUMNS, columns - space.length));
		return rows.map((row, at) => (at === 0 ? before : more) + row);
	});
}

function linesOf(text: string): string[] {
	const clean = stripControl(redactKnown(text)).replace(/\n+$/, ""); // before a line is broken: a part of a secret is one, too
	return clean === "" ? [] : clean.split("\n");
}
