/** Text for a terminal, broken between its words. Pure. */
import { displayWidth } from "./width.ts";

/**
 * Each line in rows of at most so many columns. Those after its first begin behind `hang` blanks; default: two more than it begins
 * with. A word that is wider stays whole, for the terminal to break: so a path or a command can be copied. Lines with sequences in
 * them stay as they are.
 */
export function wrapWords(text: string, columns: number, hang?: number): string {
	const lines = text.split("\n");
	return lines.map((line) => wrapLine(line, columns, hang ?? line.search(/[^ ]|$/) + 2)).join("\n");
}

function wrapLine(line: string, columns: number, mostHang: number): string {
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
