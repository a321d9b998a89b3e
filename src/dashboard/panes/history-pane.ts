/**
 * The history on the right. Only what is visible is wrapped, and wrapped lines are kept with their block: a place is
 * a block and a line in it, never a line counted from the top, which would mean wrapping all that comes before.
 */

import { wrapText } from "../../text/wrap.ts";
import { type Line, type Segment, segment } from "../styled.ts";
import type { Block } from "./block.ts";

/** The line at the top of the pane, or the end of the history and what will come. */
export type Scroll = { readonly is: "end" } | { readonly is: "at"; readonly block: number; readonly line: number };

export const END: Scroll = { is: "end" };
export const TOP: Scroll = { is: "at", block: 0, line: 0 };

export interface HistoryPane {
	readonly blocks: readonly Block[];
	readonly width: number;
	readonly height: number;
}

/** At most as many lines as the pane is high. */
export function historyLines(pane: HistoryPane, scroll: Scroll): Line[] {
	let { block, line } = topOf(pane, scroll);
	const lines: Line[] = [];
	for (; block < pane.blocks.length && lines.length < pane.height; block++, line = 0)
		lines.push(...linesOf(pane, block).slice(line, line + pane.height - lines.length));
	return lines;
}

/** Moves by lines; a move down that reaches the end sticks to it. */
export function scrollBy(pane: HistoryPane, scroll: Scroll, lines: number): Scroll {
	const last = topOf(pane, END);
	let { block, line } = topOf(pane, scroll);
	line += lines;
	while (line < 0 && block > 0) line += linesOf(pane, --block).length;
	while (block < pane.blocks.length && line >= linesOf(pane, block).length) line -= linesOf(pane, block++).length;
	line = Math.max(0, line);
	const isPast = block > last.block || (block === last.block && line >= last.line);
	return isPast ? END : { is: "at", block, line };
}

/** True when something is hidden below the pane. */
export function hasMoreBelow(pane: HistoryPane, scroll: Scroll): boolean {
	const top = topOf(pane, scroll);
	const last = topOf(pane, END);
	return top.block < last.block || (top.block === last.block && top.line < last.line);
}

interface ResolvedParent {
	readonly block: number;
	readonly line: number;
}

function topOf(pane: HistoryPane, scroll: Scroll): ResolvedParent {
	const last = topOfLastPage(pane);
	if (scroll.is === "end") return last;
	if (scroll.block > last.block || (scroll.block === last.block && scroll.line > last.line)) return last;
	// After a change of the width a block may have fewer lines than before.
	return { block: scroll.block, line: Math.min(scroll.line, linesOf(pane, scroll.block).length - 1) };
}

function topOfLastPage(pane: HistoryPane): ResolvedParent {
	let left = pane.height;
	for (let block = pane.blocks.length - 1; block >= 0; block--) {
		const count = linesOf(pane, block).length;
		if (count >= left) return { block, line: count - left };
		left -= count;
	}
	return { block: 0, line: 0 };
}

const wrapped = new WeakMap<Block, { width: number; lines: string[] }>();

function linesOf(pane: HistoryPane, index: number): { length: number; slice(from: number, to: number): Line[] } {
	const block = pane.blocks[index];
	if (block === undefined) return { length: 0, slice: () => [] };
	let cached = wrapped.get(block);
	if (cached?.width !== pane.width) {
		cached = { width: pane.width, lines: wrapText(block.text, pane.width - block.bar.length) };
		wrapped.set(block, cached);
	}
	const { lines } = cached;
	return {
		length: lines.length,
		slice: (from, to) => lines.slice(from, to).map((text, offset) => styledLine(block, text, from + offset === 0)),
	};
}

function styledLine(block: Block, text: string, isFirst: boolean): Line {
	const before = isFirst ? block.mark : block.bar;
	const line: Segment[] =
		before === "" ? [] : [segment(before, before.startsWith("$") ? "busy" : markTone(block, before))];
	if (text !== "") line.push(segment(text, block.tone));
	return line;
}

function markTone(block: Block, mark: string): Segment["tone"] {
	return mark === "│ " || mark === "└ " ? "dim" : block.tone;
}
