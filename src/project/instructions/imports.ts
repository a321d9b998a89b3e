/** The files that a text of instructions imports: `@docs/style.md`, at the begin of a line or behind white space. Pure. */
import { piecesIn } from "./markdown-code.ts";

const MAX_IMPORTS = 50;
const MAX_NAME_CHARS = 4_096; // no path is longer
const IMPORT = /(?:^|[\s(])@((?:\\ |[^\s\\])+)/g;

/** The names as they stand there, each once; none from blocks and spans of code. */
export function importsIn(text: string): string[] {
	const names = new Set<string>();
	const prose = [...piecesIn(text)]
		.map((piece) => (piece.isCode ? piece.text.replace(/[^\n]+/g, "\0") : piece.text))
		.join("");
	for (const [, name = ""] of prose.matchAll(IMPORT)) {
		if (name.length > MAX_NAME_CHARS) continue;
		names.add(name.replaceAll("\\ ", " "));
		if (names.size === MAX_IMPORTS) break;
	}
	return [...names];
}
