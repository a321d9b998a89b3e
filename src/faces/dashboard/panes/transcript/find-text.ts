/** Looking for a text in a transcript: the next match, or the one before, round and round. */
import { type Line, type Segment, segment } from "../../../../tui/text/line.ts";
import { type Find, noticed, type Scroll, type UiState } from "../../scene/ui-state.ts";
import type { Block } from "./block.ts";
import { type BlockRow, blockRows, shownLines } from "./block-rows.ts";
import { type BlockWindow, compare, movedIntoView, type Position, positionsFrom, topOf } from "./block-window.ts";

/** Where in the blocks: `column` counts the UTF-16 units of what a line of a block shows. */
interface Match {
	readonly block: number;
	readonly line: number;
	readonly column: number;
}

export function foundText(window: BlockWindow, { ui, now }: { ui: UiState; now: number }, step: 1 | -1): UiState {
	const { find } = ui;
	if (find === undefined) return noticed(ui, "nothing to find: press / first", { tone: "warn", now });
	const from = matchToGoFrom(window, ui.scroll, find) ?? beside(window, ui.scroll, step);
	const next = matchBeyond(window, { text: find.text, from, step });
	const round = next ?? matchBeyond(window, { text: find.text, from: step === 1 ? BEGIN : endOf(window), step });
	if (round === undefined) return noticed(ui, `not found in the loaded part: "${find.text}"`, { tone: "warn", now });
	const { block: at, line, column } = round;
	const key = window.blocks[at]?.key ?? "";
	const scroll = movedIntoView(window, ui.scroll, positionOf(window, round));
	const shown: UiState = { ...ui, scroll, follow: { is: "off" }, find: { ...find, match: { key, line, column } } };
	if (next !== undefined) return shown;
	return noticed(shown, step === 1 ? "continued from the beginning" : "continued from the end", { tone: "plain", now });
}

/** The row with the matches in it marked, also those that go over the end of a row. */
export function markMatches(line: Line, { block, row, text }: { block: Block; row: BlockRow; text: string }): Line {
	if (text.trim() === "" || row.line < 0 || block.facts !== undefined) return markFound(line, text);
	const begin = block.bar.length + row.indent;
	const end = block.bar.length + row.parts.reduce((sum, part) => sum + part.text.length, 0);
	const ranges = matchesOf(text, shownLines(block)[row.line] ?? "").map(
		([from, to]) => [Math.max(begin, from - row.at + begin), Math.min(end, to - row.at + begin)] as const,
	);
	return markRanges(
		line,
		ranges.filter(([from, to]) => from < to),
	);
}

const BEGIN: Match = { block: 0, line: 0, column: -1 };

function endOf({ blocks }: BlockWindow): Match {
	return { block: blocks.length, line: 0, column: 0 };
}

/** The match that was shown last, if it is in the window still. */
function matchToGoFrom(window: BlockWindow, scroll: Scroll, { match }: Find): Match | undefined {
	if (match === undefined) return undefined;
	const block = window.blocks.findIndex(({ key }) => key === match.key);
	if (block < 0) return undefined;
	const place = { block, line: match.line, column: match.column };
	const position = positionOf(window, place);
	const isShown = positionsFrom(window, topOf(window, scroll), window.height).some(
		(one) => compare(one, position) === 0,
	);
	return isShown ? place : undefined;
}

/** Before the first row of the window, or behind the last one. */
function beside(window: BlockWindow, scroll: Scroll, step: 1 | -1): Match {
	const shown = positionsFrom(window, topOf(window, scroll), window.height);
	const position = step === 1 ? shown[0] : shown.at(-1);
	const block = position && window.blocks[position.block];
	const row = block && blockRows(block, window.width)[position.row];
	if (position === undefined || row === undefined) return step === 1 ? BEGIN : endOf(window);
	if (row.line < 0) return { block: position.block + 1, line: 0, column: -1 };
	const column = step === 1 ? row.at - 1 : row.at + row.parts.reduce((sum, { text }) => sum + text.length, 0);
	return { block: position.block, line: row.line, column };
}

function matchBeyond(
	{ blocks }: BlockWindow,
	{ text, from, step }: { text: string; from: Match; step: 1 | -1 },
): Match | undefined {
	const pattern = patternOf(text);
	for (let at = from.block; at >= 0 && at <= blocks.length; at += step) {
		const block = blocks[at];
		if (block === undefined) continue;
		const matches = matchesIn(block, at, pattern);
		const beyond = at === from.block ? matches.filter((match) => order(match, from) * step > 0) : matches;
		const match = step === 1 ? beyond[0] : beyond.at(-1);
		if (match !== undefined) return match;
	}
	return undefined;
}

function matchesIn(block: Block, at: number, pattern: RegExp): Match[] {
	// Only Markdown shows something else than its text; a text of many lines is then not parted into them for nothing.
	if (block.form !== "markdown" && block.form !== "streaming" && block.text.search(pattern) < 0) return [];
	return shownLines(block).flatMap((text, line) =>
		[...text.matchAll(pattern)].map(({ index: column }) => ({ block: at, line, column })),
	);
}

function order(one: Match, other: Match): number {
	return one.line - other.line || one.column - other.column;
}

/** The row in which the match begins. */
function positionOf(window: BlockWindow, { block: at, line, column }: Match): Position {
	const block = window.blocks[at];
	const rows = block === undefined ? [] : blockRows(block, window.width);
	return {
		block: at,
		row: Math.max(
			0,
			rows.findLastIndex((row) => row.line === line && row.at <= column),
		),
	};
}

/** Marks where a text that is looked for stands in a line. */

/** The line with every match marked, even where it goes over the end of a segment. */
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

function markRanges(line: Line, matches: readonly Range[]): Line {
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
