/** Tables of Markdown with their columns one below the other, where the terminal is wide enough. Pure. */
import { inlineParts } from "../../text/markdown-inline.ts";
import type { Part, ShownLine, Style } from "../../text/styled-line.ts";
import { displayWidth } from "../../text/width.ts";

type Cell = readonly Pick<Part, "text" | "style">[];

const RULE = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/;
const MOST_COLUMNS = 50;

export function isOfTable(line: string): boolean {
	return /^\s*\|/.test(line);
}

/** Lines of `isOfTable`. A table that is too wide stays as it was written. */
export function tableLines(lines: readonly string[], columns: number): ShownLine[] {
	const rule = lines.findIndex((line) => RULE.test(line));
	const rows = lines.map((line, at) => cellsOf(line, at < rule ? "strong" : "plain"));
	const widths: number[] = [];
	for (const [at, row] of rows.entries())
		if (at !== rule) for (const [n, cell] of row.entries()) widths[n] = Math.max(widths[n] ?? 0, widthOf(cell));
	const all = widths.reduce((sum, width) => sum + width + 3, -1);
	if (rule < 0 || widths.length > MOST_COLUMNS || all > columns)
		return lines.map((text) => ({ parts: [{ text, style: "plain" }] }));
	return rows.map((row, at) => ({ parts: at === rule ? ruleOf(widths) : filled(row, widths) }));
}

function cellsOf(line: string, style: "plain" | "strong"): Cell[] {
	const inner = line.trim().replace(/^\|/, "").replace(/\|$/, "");
	return inner.split("|").map((text): Cell => {
		const parts = inlineParts(text.trim(), { from: 0, isOpen: false, style: "plain" });
		return parts.map(({ text: shown, style: own }) => ({ text: shown, style: own === "plain" ? style : own }));
	});
}

function filled(row: readonly Cell[], widths: readonly number[]): Cell {
	return widths.flatMap((width, n): Cell => {
		const cell = row[n] ?? [];
		const isLast = n === widths.length - 1;
		const blanks = " ".repeat(isLast ? 0 : width - widthOf(cell));
		return [...cell, { text: blanks, style: "plain" }, ...(isLast ? [] : [separator(" │ ")])];
	});
}

function ruleOf(widths: readonly number[]): Cell {
	return [separator(widths.map((width) => "─".repeat(width)).join("─┼─"))];
}

function separator(text: string): { text: string; style: Style } {
	return { text, style: "dim" };
}

function widthOf(cell: Cell): number {
	return cell.reduce((sum, { text }) => sum + displayWidth(text), 0);
}
