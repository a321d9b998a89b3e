/** Text cut at a word, for names and titles. Pure. */
import { characterWidth, displayWidth, fitWidth } from "./width.ts";

/**
 * The text in at most `columns`, cut behind a word with `…`; a path that is too long loses its beginning: `…/parser/expr.ts`.
 * A single long word is cut where the room ends.
 */
export function fitWords(text: string, columns: number): string {
	if (displayWidth(text) <= columns) return text;
	const cut = fitWidth(text, columns);
	const blank = cut.lastIndexOf(" ");
	if (blank > cut.length / 3) return `${cut.slice(0, blank).replace(/[\s,:;.…]+$/, "")}…`;
	return text.includes("/") && !text.includes(" ") ? endOfPath(text, columns) : cut;
}

function endOfPath(path: string, columns: number): string {
	const characters = [...path];
	let width = 1;
	let from = characters.length;
	while (from > 0 && width + characterWidth(characters[from - 1] ?? "") <= columns) {
		from--;
		width += characterWidth(characters[from] ?? "");
	}
	const end = characters.slice(from).join("");
	const slash = end.indexOf("/");
	return slash < 0 || slash === end.length - 1 ? `…${end}` : `…${end.slice(slash)}`;
}
