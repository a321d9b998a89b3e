/** Tables of Markdown with their columns one below the other; where these are too wide, cells are broken into rows. Pure. */
import { type Line, lineWidth, segment } from "./line.ts";
import { inlineParts } from "./markdown-inline.ts";
import { type Part, wrapLine } from "./styled-line.ts";

type Cell = readonly Part[];

const RULE = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/;
const MOST_COLUMNS = 50;
const LEAST_COLUMN = 6;
const SEPARATOR = " │ ";

export function isOfTable(line: string): boolean {
	return /^\s*\|/.test(line);
}

/** Lines of `isOfTable`. A table that has no rule, or too many columns, stays as it was written. */
export function tableLines(lines: readonly string[], columns: number): Line[] {
	const rule = lines.findIndex((line) => RULE.test(line));
	const rows = lines.map((line, at) => cellsOf(line, at < rule ? "strong" : "plain"));
	const count = Math.max(...rows.map((row) => row.length));
	const room = columns - SEPARATOR.length * (count - 1);
	if (rule < 0 || count > MOST_COLUMNS || room < count * LEAST_COLUMN) return lines.map((text) => [segment(text)]);
	const natural = Array.from({ length: count }, (_, n) =>
		Math.max(...rows.map((row, at) => (at === rule ? 0 : lineWidth(row[n] ?? [])))),
	);
	const widths = narrowed(natural, room);
	return rows.flatMap((row, at) => (at === rule ? [ruleOf(widths)] : rowLines(row, widths)));
}

/** The widest columns give until all fit into the room. */
function narrowed(natural: readonly number[], room: number): number[] {
	let bound = Math.max(...natural);
	const sum = () => natural.reduce((all, width) => all + Math.min(width, bound), 0);
	while (bound > LEAST_COLUMN && sum() > room) bound--;
	return natural.map((width) => Math.min(width, bound));
}

function cellsOf(line: string, style: "plain" | "strong"): Cell[] {
	const inner = line.trim().replace(/^\|/, "").replace(/\|$/, "");
	return inner.split("|").map((text): Cell => {
		const parts = inlineParts(text.trim(), { from: 0, isOpen: false, style: "plain" });
		return parts.map((part) => ({ ...part, style: part.style === "plain" ? style : part.style }));
	});
}

function rowLines(row: readonly Cell[], widths: readonly number[]): Line[] {
	const cells = widths.map((width, n): Line[] => {
		const parts = row[n] ?? [];
		return wrapLine({ parts, hang: 0, from: 0 }, Math.max(1, width));
	});
	const height = Math.max(...cells.map((rows) => rows.length));
	return Array.from({ length: height }, (_, y) =>
		cells.flatMap((rows, n) => filled(rows[y] ?? [], widths[n] ?? 0, n === widths.length - 1)),
	);
}

function filled(pieces: Line, width: number, isLast: boolean): Line {
	if (isLast) return pieces;
	const blanks = " ".repeat(Math.max(0, width - lineWidth(pieces)));
	return [...pieces, segment(blanks), segment(SEPARATOR, "dim")];
}

function ruleOf(widths: readonly number[]): Line {
	return [segment(widths.map((width) => "─".repeat(width)).join("─┼─"), "dim")];
}
