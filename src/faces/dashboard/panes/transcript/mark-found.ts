/** Marks where a text that is looked for stands in a line. */
import { type Line, type Segment, segment } from "../../../../tui/text/line.ts";

/** The line with every match marked, also where it goes over the end of a segment. */
export function markFound(line: Line, text: string): Line {
	if (text.trim() === "") return line; // blanks are everywhere: a row of them would not be seen to be selected
	const whole = line.map((piece) => piece.text).join("");
	return markRanges(line, matchesOf(text, whole));
}

export type Range = readonly [begin: number, end: number];

/** Where in the whole the text stands, which is not empty. */
export function matchesOf(text: string, whole: string): Range[] {
	return [...whole.matchAll(patternOf(text))].map(({ index, 0: found }) => [index, index + found.length]);
}

export function markRanges(line: Line, matches: readonly Range[]): Line {
	if (matches.length === 0) return line;
	let start = 0;
	return line.flatMap((piece) => {
		const from = start;
		start += piece.text.length;
		const within = matches.filter(([begin, end]) => begin < start && end > from);
		return cut(
			piece,
			within.map(([begin, end]) => [begin - from, end - from] as const),
		);
	});
}

/** A find is not particular about capital letters. */
export function patternOf(text: string): RegExp {
	return new RegExp(text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), "giu");
}

function cut(piece: Segment, matches: readonly Range[]): Segment[] {
	const pieces: Segment[] = [];
	let at = 0;
	for (const [begin, end] of matches) {
		pieces.push(
			{ ...piece, text: piece.text.slice(at, Math.max(at, begin)) },
			marked(piece, piece.text.slice(Math.max(0, begin), end)),
		);
		at = Math.min(piece.text.length, end);
	}
	return [...pieces, { ...piece, text: piece.text.slice(at) }].filter(({ text }) => text !== "");
}

/** In a line that is selected, and so is drawn inverted, a match is what is not. */
function marked({ isSelected = false }: Segment, text: string): Segment {
	return isSelected ? segment(text, "strong") : segment(text, "alert");
}
