/** Text into lines that fit a number of columns; a wide character is never split. */
import { characterWidth, displayWidth } from "./width.ts";

const TAB_COLUMNS = 4;
const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;

/** Breaks at blanks where there are any, else where the line is full. */
export function wrapText(text: string, width: number): string[] {
	const wrapped: string[] = [];
	for (const line of text.split("\n")) wrapLine(expandTabs(line).trimEnd(), Math.max(1, width), wrapped);
	return wrapped;
}

function wrapLine(line: string, width: number, into: string[]): void {
	let rest = line;
	while (!fits(rest, width)) {
		const full = takeColumns(rest, width);
		if (full.length >= rest.length) break;
		const blank = rest[full.length] === " " ? full.length : full.lastIndexOf(" ");
		const taken = blank > full.length / 3 ? full.slice(0, blank) : full;
		into.push(taken.trimEnd());
		rest = rest.slice(taken.length).trimStart();
	}
	into.push(rest);
}

function fits(text: string, width: number): boolean {
	if (text.length <= width / 2) return true;
	if (text.length > width * 8) return false; // else a very long line would be measured as a whole for each of its pieces
	return displayWidth(text) <= width;
}

/** The longest beginning that fits into `width` columns; at least one character, so that wrapping comes to an end. */
function takeColumns(text: string, width: number): string {
	const ahead = text.slice(0, width);
	if (PRINTABLE_ASCII.test(ahead)) return ahead;
	let end = 0;
	let columns = 0;
	for (const character of text) {
		columns += characterWidth(character);
		if (columns > width && end > 0) break;
		end += character.length;
	}
	return text.slice(0, end);
}

function expandTabs(line: string): string {
	if (!line.includes("\t")) return line;
	let expanded = "";
	for (const [index, part] of line.split("\t").entries()) {
		if (index > 0) expanded += " ".repeat(TAB_COLUMNS - (displayWidth(expanded) % TAB_COLUMNS));
		expanded += part;
	}
	return expanded;
}

/**
 * Each line in rows of at most so many columns. Those after its first begin behind `hang` blanks; default: two more than it begins
 * with. A word that is wider stays whole, for the terminal to break: so a path or a command can be copied. Lines with sequences in
 * them stay as they are.
 */
export function wrapWords(text: string, columns: number, hang?: number): string {
	const lines = text.split("\n");
	return lines.map((line) => wrapBetweenWords(line, columns, hang ?? line.search(/[^ ]|$/) + 2)).join("\n");
}

function wrapBetweenWords(line: string, columns: number, mostHang: number): string {
	if (line.includes("\u001b") || displayWidth(line) <= columns) return line;
	const hang = mostHang <= columns / 2 ? mostHang : 0;
	let wrapped = "";
	let at = 0;
	for (const [whole, blanks = "", word = ""] of line.matchAll(/( *)([^ ]+)/g)) {
		const width = displayWidth(word);
		const isBroken = at > hang && at + blanks.length + width > columns && hang + width <= columns;
		wrapped += isBroken ? `\n${" ".repeat(hang)}${word}` : whole;
		at = isBroken ? hang + width : at + blanks.length + width;
	}
	return wrapped;
}
