/** The files that a text of instructions imports: `@docs/style.md`, at the begin of a line or behind white space. Pure. */

const MAX_IMPORTS = 50;
const MAX_NAME_CHARS = 4_096; // no path is longer
const IMPORT = /(?:^|[\s(])@((?:\\ |[^\s\\])+)/g;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const LIST_ITEM = /^ {0,3}(?:[-*+]|\d{1,9}[.)])\s/;
const INDENTED = /^(?: {4}|\t)/;

/** The names as they stand there, each once; none from blocks and spans of code. */
export function importsIn(text: string): string[] {
	const names = new Set<string>();
	for (const line of linesOutsideCode(text))
		for (const [, name = ""] of withoutSpans(line).matchAll(IMPORT)) {
			if (name.length > MAX_NAME_CHARS) continue;
			names.add(name.replaceAll("\\ ", " "));
			if (names.size === MAX_IMPORTS) return [...names];
		}
	return [...names];
}

function* linesOutsideCode(text: string): Generator<string> {
	let fence: string | undefined;
	let isInList = false;
	let mayIndent = true; // an indented line behind text is that text's own, no code
	for (const line of text.split("\n")) {
		const [, mark] = FENCE.exec(line) ?? [];
		if (fence !== undefined) {
			if (mark?.startsWith(fence) && line.trim() === mark) fence = undefined;
			continue;
		}
		if (mark !== undefined) {
			fence = mark;
			continue;
		}
		const isBlank = line.trim() === "";
		if (LIST_ITEM.test(line)) isInList = true;
		else if (!isBlank && !/^\s/.test(line)) isInList = false;
		const isCode: boolean = mayIndent && !isInList && INDENTED.test(line);
		mayIndent = isBlank || isCode;
		if (!isCode && !isBlank) yield line;
	}
}

/** Spans of code begin and end with equally many backticks; what has no end is none. */
function withoutSpans(line: string): string {
	const runs = [...line.matchAll(/`+/g)].map(({ index, 0: ticks }) => ({ index, length: ticks.length }));
	const last = new Map(runs.map(({ length, index }) => [length, index]));
	let rest = "";
	let from = 0;
	for (let n = 0; n < runs.length; n++) {
		const { index, length } = runs[n] ?? { index: 0, length: 0 };
		if ((last.get(length) ?? 0) <= index) continue;
		rest += `${line.slice(from, index)}\0`;
		while (runs[++n]?.length !== length);
		from = (runs[n]?.index ?? 0) + length;
	}
	return rest + line.slice(from);
}
