/**
 * What a terminal would show of an output, as plain text. Control sequences are dropped, and so are cursor moves between
 * lines. A line that was overwritten by carriage returns, backspaces or "erase line" shows only what stood there last.
 * The work is proportional to the length of the text, also on hostile input.
 */

/** DCS, SOS, PM, APC with their end: the only sequences that may go over many lines (images). */
const LONG_STRING = /\x1b[PX^_][^\x1b]*\x1b\\/g;
/** OSC (titles, links), or a long string without its end: such a one ends with its line, else it would eat the rest. */
const STRING = /\x1b[\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)?/g;
/** CSI with parameters and final byte · any other escape · CR and BS · text. */
const TOKEN = /\x1b\[([0-?]*)[ -/]*([@-~]?)|\x1b[ -/]*[0-~]?|[\r\b]|[^\x1b\r\b]+/g;
/** C0 without tab, newline, BS, CR and ESC; DEL; C1. */
const OTHER_CONTROLS = /[\x00-\x07\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f]/g;

export function plainText(text: string): string {
	const withoutStrings = text.includes("\x1b") ? text.replace(LONG_STRING, "").replace(STRING, "") : text;
	const clean = withoutStrings.replace(OTHER_CONTROLS, "");
	return /[\r\b\x1b]/.test(clean) ? clean.split("\n").map(lastShown).join("\n") : clean;
}

/** Writes one line into cells as a terminal does, and gives what the cells hold at its end. */
function lastShown(line: string): string {
	const text = line.endsWith("\r") ? line.slice(0, -1) : line;
	if (!/[\r\b\x1b]/.test(text)) return text;
	const cells: string[] = [];
	let column = 0;
	for (const [token, parameters = "", final = ""] of text.matchAll(TOKEN)) {
		if (token === "\r") column = 0;
		else if (token === "\b") column = Math.max(0, column - 1);
		else if (final === "K") erase(cells, column, parameters);
		else if (final === "G") column = Math.min(cells.length, Math.max(0, Number(parameters || 1) - 1) || 0);
		else if (!token.startsWith("\x1b")) column = write(cells, column, token);
	}
	return cells.join("");
}

function write(cells: string[], from: number, text: string): number {
	while (cells.length < from) cells.push(" ");
	let column = from;
	for (const character of text) cells[column++] = character;
	return column;
}

/** EL: 0 or nothing erases from the cursor on, 1 up to the cursor, 2 all; the cursor stays. */
function erase(cells: string[], column: number, parameters: string): void {
	if (parameters === "" || parameters === "0") cells.length = Math.min(cells.length, column);
	else if (parameters === "1") cells.fill(" ", 0, column + 1);
	else if (parameters === "2") cells.length = 0;
}
