/**
 * Blocks seen through a window. Only what is visible is wrapped, and wrapped lines are kept with their block: a position
 * is a block and a line in it, never a line counted from the top, which would mean wrapping all that comes before.
 */

import { wrapText } from "../../text/wrap.ts";
import { type Line, type Segment, segment } from "../scene/line.ts";
import { END, type Scroll } from "../scene/ui-state.ts";
import type { Block } from "./block.ts";

export interface BlockWindow {
	readonly blocks: readonly Block[];
	readonly width: number;
	readonly height: number;
}

/** At most as many lines as the window is high. */
export function windowLines(window: BlockWindow, scroll: Scroll): Line[] {
	let { block, line } = topOf(window, scroll);
	const lines: Line[] = [];
	for (; block < window.blocks.length && lines.length < window.height; block++, line = 0)
		lines.push(...linesOf(window, block).slice(line, line + window.height - lines.length));
	return lines;
}

/** Moves by lines; a move down that reaches the end sticks to it. */
export function scrollBy(window: BlockWindow, scroll: Scroll, lines: number): Scroll {
	const last = topOf(window, END);
	let { block, line } = topOf(window, scroll);
	line += lines;
	while (line < 0 && block > 0) line += linesOf(window, --block).length;
	while (block < window.blocks.length && line >= linesOf(window, block).length) line -= linesOf(window, block++).length;
	line = Math.max(0, line);
	const isPast = block > last.block || (block === last.block && line >= last.line);
	return isPast ? END : { is: "at", block, line };
}

/** True when something is hidden below the window. */
export function hasMoreBelow(window: BlockWindow, scroll: Scroll): boolean {
	const top = topOf(window, scroll);
	const last = topOf(window, END);
	return top.block < last.block || (top.block === last.block && top.line < last.line);
}

interface Position {
	readonly block: number;
	readonly line: number;
}

function topOf(window: BlockWindow, scroll: Scroll): Position {
	const last = topOfLastPage(window);
	if (scroll.is === "end") return last;
	if (scroll.block > last.block || (scroll.block === last.block && scroll.line > last.line)) return last;
	// After a change of the width a block may have fewer lines than before.
	return { block: scroll.block, line: Math.min(scroll.line, linesOf(window, scroll.block).length - 1) };
}

function topOfLastPage(window: BlockWindow): Position {
	let left = window.height;
	for (let block = window.blocks.length - 1; block >= 0; block--) {
		const count = linesOf(window, block).length;
		if (count >= left) return { block, line: count - left };
		left -= count;
	}
	return { block: 0, line: 0 };
}

const wrapped = new WeakMap<Block, { width: number; lines: string[] }>();

function linesOf(window: BlockWindow, index: number): { length: number; slice(from: number, to: number): Line[] } {
	const block = window.blocks[index];
	if (block === undefined) return { length: 0, slice: () => [] };
	let cached = wrapped.get(block);
	if (cached?.width !== window.width) {
		cached = { width: window.width, lines: wrapText(block.text, window.width - block.bar.length) };
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
