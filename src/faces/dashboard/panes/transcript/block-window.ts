/**
 * Blocks seen through a window. Only what is visible is broken into rows: a position is a block and a row in it, never a row
 * counted from the top, which would mean to break all that comes before. A place is a position that lasts: the key of a
 * block, and how far into its text, so that it is the same text at every width, whatever comes before it and behind it.
 */
import type { AgentId } from "../../../../core/model/agent.ts";
import type { Line } from "../../../../tui/text/line.ts";
import { END, type Scroll } from "../../scene/ui-state.ts";
import { type Block, familyOf, withoutPart } from "./block.ts";
import { type BlockRow, blockRows, rowLine } from "./block-rows.ts";

export interface BlockWindow {
	readonly blocks: readonly Block[];
	readonly width: number;
	readonly height: number;
	/** How the row of a block that leads to an agent is drawn. */
	readonly linkLine?: (agent: AgentId, block: Block) => Line;
	/** Changes a row as it is drawn, such as by highlights in it. */
	readonly decorate?: (line: Line, block: Block, row: BlockRow) => Line;
}

/** The part of the window above what it was moved to. */
const ROWS_ABOVE = 0.3;

export interface Position {
	readonly block: number;
	readonly row: number;
}

/** At most as many lines as the window is high. */
export function windowLines(window: BlockWindow, scroll: Scroll): Line[] {
	return positionsFrom(window, topOf(window, scroll), window.height).map((position) => lineAt(window, position));
}

/** The positions from one on, at most so many. */
export function positionsFrom(window: BlockWindow, { block, row }: Position, count: number): Position[] {
	const positions: Position[] = [];
	for (let at = block, from = row; at < window.blocks.length && positions.length < count; at++, from = 0) {
		const rows = rowsAt(window, at).length;
		for (let next = from; next < rows && positions.length < count; next++) positions.push({ block: at, row: next });
	}
	return positions;
}

/** Moves by rows; a move down that reaches the end sticks to it. */
export function scrollBy(window: BlockWindow, scroll: Scroll, rows: number): Scroll {
	const last = topOf(window, END);
	const next = movedBy(window, topOf(window, scroll), rows);
	return compare(next, last) >= 0 ? END : placeAt(window, next);
}

/** The place where the position is in the window: the same one when it is already, else some rows above it. */
export function movedIntoView(window: BlockWindow, scroll: Scroll, position: Position): Scroll {
	const shown = positionsFrom(window, topOf(window, scroll), window.height);
	if (shown.some((one) => compare(one, position) === 0)) return scroll;
	const top = movedBy(window, position, -Math.floor(window.height * ROWS_ABOVE));
	return compare(top, topOf(window, END)) >= 0 ? END : placeAt(window, top);
}

/** True when something is hidden below the window. */
export function hasMoreBelow(window: BlockWindow, scroll: Scroll): boolean {
	return compare(topOf(window, scroll), topOf(window, END)) < 0;
}

/** Where the window begins. A place is kept also when that leaves the lower part of the window empty. */
export function topOf(window: BlockWindow, scroll: Scroll): Position {
	if (scroll.is === "end") return topOfLastPage(window);
	return positionOf(window, scroll) ?? topOfLastPage(window);
}

/**
 * Undefined when neither the block nor one of its family is there. The key "" is the beginning, whatever stands there; the key
 * ">1.2" is the row that leads to that agent.
 */
function positionOf(window: BlockWindow, { key, offset }: Extract<Scroll, { is: "at" }>): Position | undefined {
	if (key === "") return { block: 0, row: 0 };
	const isIt = key.startsWith(">") ? (one: Block) => one.key.endsWith(key) : (one: Block) => one.key === key;
	const found = window.blocks.findIndex(isIt);
	const block = found < 0 ? recordedAt(window, key) : found;
	if (block < 0) return firstOf(window, familyOf(key));
	const row = rowsAt(window, block).findLastIndex(({ from }) => from <= offset);
	return { block, row: Math.max(0, row) };
}

/** Where a text stands that had this key while it was written; -1 for none. */
function recordedAt({ blocks }: BlockWindow, key: string): number {
	const [former, part] = withoutPart(key);
	const first = blocks.find(({ formerKey }) => formerKey === former);
	return first === undefined ? -1 : blocks.findIndex((one) => one.key === `${first.key}${part}`);
}

function firstOf(window: BlockWindow, family: string | undefined): Position | undefined {
	const block = family === undefined ? -1 : window.blocks.findIndex(({ key }) => key.startsWith(family));
	return block < 0 ? undefined : { block, row: 0 };
}

function placeAt(window: BlockWindow, { block, row }: Position): Scroll {
	const key = window.blocks[block]?.key;
	return key === undefined ? END : { is: "at", key, offset: rowsAt(window, block)[row]?.from ?? 0 };
}

/** Stops at the beginning and behind the end. */
function movedBy(window: BlockWindow, { block, row }: Position, rows: number): Position {
	let at = block;
	let left = row + rows;
	while (left < 0 && at > 0) left += rowsAt(window, --at).length;
	while (at < window.blocks.length && left >= rowsAt(window, at).length) left -= rowsAt(window, at++).length;
	return { block: at, row: Math.max(0, left) };
}

export function compare(one: Position, other: Position): number {
	return one.block - other.block || one.row - other.row;
}

/** The empty row behind the last block is left out. */
function topOfLastPage(window: BlockWindow): Position {
	let left = window.height + (window.blocks.at(-1)?.hasGap ? 1 : 0);
	for (let block = window.blocks.length - 1; block >= 0; block--) {
		const count = rowsAt(window, block).length;
		if (count >= left) return { block, row: count - left };
		left -= count;
	}
	return { block: 0, row: 0 };
}

function lineAt(window: BlockWindow, { block: index, row: number }: Position): Line {
	const block = window.blocks[index];
	const row = rowsAt(window, index)[number];
	if (block === undefined || row === undefined) return [];
	if (block.link !== undefined && row.line === 0) return window.linkLine?.(block.link, block) ?? [];
	const line = rowLine(block, row, { isFirst: number === 0, width: window.width });
	return window.decorate?.(line, block, row) ?? line;
}

function rowsAt(window: BlockWindow, index: number): readonly BlockRow[] {
	const block = window.blocks[index];
	return block === undefined ? [] : blockRows(block, window.width);
}
