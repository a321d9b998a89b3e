/** What of a text in Markdown is code: blocks between fences, indented ones, and spans between backticks or in elements of HTML. Pure. */

const QUOTED = /^(?: {0,3}> ?)+/;
const LIST_ITEM = /^\s*(?:[-*+]|\d{1,9}[.)])\s+/;
/** A line that no span goes on in from the line before. */
const BEGINS = /^\s*(?:[-*+]|\d{1,9}[.)])\s|^ {0,3}[#>|]/;
const FENCE = /^\s*(`{3,}(?=[^`]*$)|~{3,})/;
const INDENTED = 4; // columns, for code
const ELEMENT = /<(pre|code)\b[^<>]{0,200}>.{0,4000}?<\/\1>/gis;

export interface Piece {
	readonly text: string;
	readonly isCode: boolean;
}

/** Its lines, without their ends. A fence is code itself. */
function* linesIn(text: string): Generator<Piece> {
	let fence: { mark: string; isQuoted: boolean } | undefined;
	let itemAt = 0; // the column at which the text of a list's item begins
	let mayIndent = true; // an indented line behind text is that text's own, no code
	for (const line of text.split("\n")) {
		const [quotation = ""] = QUOTED.exec(line) ?? [];
		if (fence?.isQuoted && quotation === "") fence = undefined; // it ends with its quotation
		const own = line.slice(fence?.isQuoted === false ? 0 : quotation.length);
		const isBlank = own.trim() === "";
		const indent = columnsOf(own) - itemAt;
		if (fence !== undefined) {
			if (own.trim().startsWith(fence.mark) && /^(`+|~+)$/.test(own.trim())) fence = undefined;
			yield { text: line, isCode: true };
			continue;
		}
		if (mayIndent && !isBlank && indent >= INDENTED) {
			yield { text: line, isCode: true };
			continue;
		}
		const [item = ""] = LIST_ITEM.exec(own) ?? [];
		if (item !== "") itemAt = columnsOf(item);
		else if (!isBlank && indent < 0) itemAt = columnsOf(own);
		const [, mark] = FENCE.exec(own.slice(item.length)) ?? [];
		if (mark !== undefined) fence = { mark, isQuoted: quotation !== "" };
		mayIndent = isBlank;
		yield { text: line, isCode: mark !== undefined };
	}
}

/** Paragraphs and what else is between blocks of code, with all their ends of lines: joined they are the text. */
export function* piecesIn(text: string): Generator<Piece> {
	let prose: string[] = [];
	let before = "";
	for (const { text: line, isCode } of linesIn(text)) {
		const isProse = !isCode && line.trim() !== "";
		if (!isProse || BEGINS.test(line)) {
			yield* spansIn(prose.join(""));
			prose = [];
		}
		if (isProse) prose.push(before + line);
		else yield { text: before + line, isCode };
		before = "\n";
	}
	yield* spansIn(prose.join(""));
}

/** Of text outside of blocks. Spans of code begin and end with equally many backticks; what has no end is none. */
function spansIn(text: string): Piece[] {
	const spans = [
		...backtickSpans(text),
		...[...text.matchAll(ELEMENT)].map(({ index, 0: all }) => [index, index + all.length] as const),
	];
	const pieces: Piece[] = [];
	let from = 0;
	for (const [start, end] of spans.sort(([a], [b]) => a - b)) {
		if (start < from) continue;
		pieces.push({ text: text.slice(from, start), isCode: false }, { text: text.slice(start, end), isCode: true });
		from = end;
	}
	return [...pieces, { text: text.slice(from), isCode: false }];
}

function backtickSpans(text: string): (readonly [number, number])[] {
	const runs = [...text.matchAll(/`+/g)].map(({ index, 0: ticks }) => ({ index, length: ticks.length }));
	const last = new Map(runs.map(({ length, index }) => [length, index]));
	const spans: (readonly [number, number])[] = [];
	for (let n = 0; n < runs.length; n++) {
		const { index, length } = runs[n] ?? { index: 0, length: 0 };
		if ((last.get(length) ?? 0) <= index) continue;
		while (runs[++n]?.length !== length);
		spans.push([index, (runs[n]?.index ?? 0) + length]);
	}
	return spans;
}

/** The text with all that is no code replaced by what `map` makes of it. */
export function mapOutsideCode(text: string, map: (text: string) => string): string {
	return [...piecesIn(text)].map(({ text: piece, isCode }) => (isCode ? piece : map(piece))).join("");
}

/** How many columns of white space a line begins with; of an item's mark: how many it takes. */
function columnsOf(line: string): number {
	const [start = ""] = /^\s*(?:(?:[-*+]|\d{1,9}[.)])\s+$)?/.exec(line) ?? [];
	return [...start].reduce((columns, char) => (char === "\t" ? columns - (columns % 4) + 4 : columns + 1), 0);
}
