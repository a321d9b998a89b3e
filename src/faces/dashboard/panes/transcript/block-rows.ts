/** The rows of a block at a width. They are kept, by the block's key, so that what stays the same is broken into rows once. */

import { displayWidth } from "../../../../text/width/width.ts";
import {
	fitLine,
	indentOf,
	type Line,
	lineWidth,
	type Row,
	rowsOf,
	type Segment,
	type Style,
	type StyledLine,
	segment,
	shownText,
} from "../../../../tui/text/line.ts";
import { markdownLines } from "../../../../tui/text/markdown.ts";
import type { Block } from "./block.ts";

export interface BlockRow extends Row {
	/** Which line of the block it is a part of; -1 for the empty row behind the block. */
	readonly line: number;
}

/** Behind all text, even when that grows. */
const GAP_ROW: BlockRow = { line: -1, at: 0, indent: 0, from: Number.MAX_SAFE_INTEGER, parts: [] };
const ONLY_ROW: BlockRow = { line: 0, at: 0, indent: 0, from: 0, parts: [] };
const MOST_KEPT = 500; // a few screens of the shortest blocks

interface Kept {
	readonly text: string;
	readonly form: Block["form"];
	readonly room: number;
	readonly rows: readonly BlockRow[];
}

const kept = new Map<string, Kept>();

/** At least one. */
export function blockRows(block: Block, width: number): readonly BlockRow[] {
	const rows = block.link === undefined && block.facts === undefined ? textRows(block, width) : [ONLY_ROW];
	return block.hasGap ? [...rows, GAP_ROW] : rows;
}

function textRows(block: Block, width: number): readonly BlockRow[] {
	const { key, text, form } = block;
	const room = Math.max(1, width - displayWidth(block.bar));
	const known = kept.get(key);
	if (known?.room === room && known.form === form && known.text === text) return known.rows;
	const rows: BlockRow[] = [];
	for (const [line, styled] of linesOf(block).entries())
		for (const row of rowsOf(styled, room)) rows.push({ ...row, line });
	kept.delete(key);
	kept.set(key, { text, form, room, rows });
	if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value ?? "");
	return rows;
}

const shown = new WeakMap<Block, string[]>();

/** What the lines of a block show, without the marks before them. */
export function shownLines(block: Block): readonly string[] {
	let lines = shown.get(block);
	if (lines === undefined) {
		lines = block.link === undefined ? linesOf(block).map(shownText) : [];
		shown.set(block, lines);
	}
	return lines;
}

function linesOf({ text, form, fence }: Block): StyledLine[] {
	if (form === "markdown" || form === "streaming") {
		const lines = markdownLines(text, { isOpen: form === "streaming", fence });
		if (lines.length > 0) return lines;
	}
	const lines: StyledLine[] = [];
	let from = 0;
	for (const line of text.split("\n")) {
		const parts = [{ text: line, style: "plain", from } as const];
		lines.push({ parts, from, hang: indentOf(line), isVerbatim: form === "code" });
		from += line.length + 1;
	}
	return lines;
}

/** The row as it is drawn, with the mark or the bar before it. */
export function rowLine(block: Block, row: BlockRow, { isFirst, width }: { isFirst: boolean; width: number }): Line {
	if (row.line < 0) return [];
	if (block.facts !== undefined) return withRight(factsLine(block, width), block.right, width);
	const before = isFirst ? block.mark : block.bar;
	const line: Segment[] = before === "" ? [] : [segment(before, markTone(block, before))];
	for (const { text, style } of row.parts) if (text !== "") line.push(segment(text, within(style, block.tone)));
	return isFirst ? withRight(line, block.right, width) : line;
}

/** The style of a part of a whole that has one, too. */
function within(style: Style, whole: Style): Style {
	if (style === "plain" || (style === "strong" && whole !== "plain")) return whole;
	return whole === "dim" && (style === "code" || style === "heading") ? whole : style;
}

/** The text, and as many of the facts as there is room for beside what stands at the right. */
function factsLine({ text, tone, facts = [], right = "" }: Block, width: number): Line {
	const line = [segment(text, tone)];
	let room = width - lineWidth(line) - displayWidth(right) - 1;
	for (const fact of facts) {
		const piece = ` · ${fact}`;
		room -= displayWidth(piece);
		if (room < 0) break;
		line.push(segment(piece, "dim"));
	}
	return line;
}

function withRight(line: Line, right: string | undefined, width: number): Line {
	const room = width - displayWidth(right ?? "");
	return right !== undefined && lineWidth(line) < room ? [...fitLine(line, room), segment(right, "dim")] : line;
}

function markTone(block: Block, mark: string): Style {
	if (mark.startsWith("$")) return "busy";
	return mark === "│ " || mark === "└ " ? "dim" : block.tone;
}
