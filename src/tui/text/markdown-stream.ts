/**
 * Markdown that comes in pieces, as lines that can be appended for good. A line is appended when it is whole; of a long one each
 * row whose look can no longer change. All else is live. The lines of code and tables stay unbroken, so
 * that they can be copied out of the terminal. Pure.
 */
import { redactKnown } from "../../text/safe/redact.ts";
import { cleanText } from "../../text/safe/terminal-safe.ts";
import {
	EMPTY_LINE,
	type Line,
	lineWidth,
	type Part,
	type Row,
	rowsOf,
	type Style,
	type StyledLine,
	segment,
	wrapLine,
} from "./line.ts";
import { type Fence, fenceAfter, inlineParts, markdownLines } from "./markdown.ts";

const MOST_BEGUN = 4_096; // characters of a line that are looked at again with each piece
const MOST_CODE_ROWS = 3; // of a line of code that does not end
const MOST_LINK = 300; // characters of one that is waited for
const MOST_TABLE_LINES = 200;

export class MarkdownStream {
	private readonly columns: () => number;
	private fence: Fence | undefined;
	private begun = "";
	/** So much of what the begun line shows was appended. */
	private shownTo = 0;
	/** The begun line is the rest of a longer one. */
	private goesOn = false;
	private table: string[] = [];
	/** Empty lines are appended when something follows. */
	private hasGap = false;
	private isFirst = true;

	constructor(columns: () => number) {
		this.columns = columns;
	}

	add(text: string): Line[] {
		const lines = (this.begun + text).split("\n");
		this.begun = lines.pop() ?? "";
		const ended = lines.flatMap((line) => this.ended(line));
		return [...ended, ...this.fullRows()];
	}

	/** What is left, when no more comes; nothing when it was asked before. */
	end(): Line[] {
		const rest = this.begun;
		this.begun = "";
		return [...(rest === "" ? [] : this.ended(rest)), ...this.endTable()];
	}

	/** What has come and was not appended. */
	live(): Line[] {
		const begun = this.begun === "" ? [] : shown(this.rows(safeText(this.begun), true));
		const lines = [...this.table.map((line) => [segment(line)]), ...begun];
		return this.hasGap && lines.length > 0 ? [EMPTY_LINE, ...lines] : lines;
	}

	private ended(raw: string): Line[] {
		const line = safeText(raw);
		if (this.goesOn || this.shownTo > 0) {
			const rows = line.length > this.shownTo ? shown(this.rows(line, false)) : [];
			this.goesOn = false;
			this.shownTo = 0;
			return rows;
		}
		if (this.fence === undefined && isOfTable(line) && this.table.length < MOST_TABLE_LINES) {
			this.table.push(line);
			return [];
		}
		return [...this.endTable(), ...this.whole(line)];
	}

	private whole(line: string): Line[] {
		const next = fenceAfter(line, this.fence);
		if (next !== this.fence) {
			this.fence = next;
			return this.afterGap([[segment(line.trim(), "dim")]]);
		}
		if (line.trim() === "") {
			this.hasGap = !this.isFirst;
			return this.fence === undefined ? [] : this.afterGap([]);
		}
		return this.afterGap(shown(this.rows(line, false)));
	}

	private endTable(): Line[] {
		if (this.table.length === 0) return [];
		const lines = tableLines(this.table, this.columns());
		this.table = [];
		return this.afterGap(lines);
	}

	/** Rows of the begun line that are full, and look the same however it goes on. */
	private fullRows(): Line[] {
		if (this.begun.length < this.columns()) return [];
		const line = safeText(this.begun);
		if (!this.goesOn && this.shownTo === 0 && this.fence === undefined && isOfTable(line)) return [];
		const open = this.rows(line, true);
		if (this.fence !== undefined && this.shownTo === 0 && open.length <= MOST_CODE_ROWS) return [];
		const closed = this.rows(line, false);
		const certain = this.fence === undefined ? openLinkIn(line) : line.length;
		const isLong = line.length > MOST_BEGUN;
		let full = isLong ? open.length - 1 : 0;
		while (full < open.length - 1 && isSame(open[full], closed[full]) && (open[full + 1]?.from ?? 0) <= certain) full++;
		if (full > 0) this.shownTo = Math.min(...[open[full], closed[full]].map((row) => row?.from ?? line.length));
		if (isLong) this.shorten(line);
		return full === 0 ? [] : this.afterGap(shown(open.slice(0, full)));
	}

	private shorten(line: string): void {
		this.begun = line.slice(this.shownTo);
		this.shownTo = 0;
		this.goesOn = true;
	}

	private rows(line: string, isOpen: boolean): Row[] {
		const columns = this.columns();
		const [styled] = this.goesOn
			? [goingOn(line, this.fence !== undefined)]
			: markdownLines(line, { isOpen, fence: this.fence });
		if (styled === undefined) return [{ from: 0, at: 0, indent: 0, parts: [{ text: line.trim(), style: "dim" }] }];
		if (this.fence === undefined) return restRows(styled, this.shownTo, columns);
		const code = { ...styled, parts: styled.parts.filter(({ isReplaced }) => isReplaced !== true), hang: 0 };
		const isWhole = !isOpen && this.shownTo === 0 && !this.goesOn;
		return isWhole ? [{ from: 0, at: 0, indent: 0, parts: code.parts }] : restRows(code, this.shownTo, columns);
	}

	private afterGap(lines: readonly Line[]): Line[] {
		if (lines.length === 0) return [];
		const gap = this.hasGap ? [EMPTY_LINE] : [];
		this.hasGap = false;
		this.isFirst = false;
		return [...gap, ...lines];
	}
}

function shown(rows: readonly Row[]): Line[] {
	return rows.map(({ parts }) => parts);
}

/** Where a link begins that may become whole; the end of the line when there is none. */
function openLinkIn(line: string): number {
	const from = Math.max(0, line.length - MOST_LINK);
	const found = /\[[^\]]*(?:\](?:\([^)]*)?)?$/.exec(line.slice(from));
	return found === null ? line.length : from + found.index;
}

function goingOn(text: string, isCode: boolean): StyledLine {
	const style: Style = isCode ? "code" : "plain";
	return { parts: [{ text, style, from: 0 }], hang: 0, from: 0, isVerbatim: isCode };
}

function isSame(a: Row | undefined, b: Row | undefined): boolean {
	if (a === undefined || b === undefined || a.from !== b.from || a.parts.length !== b.parts.length) return false;
	return a.parts.every(({ text, style }, at) => text === b.parts[at]?.text && style === b.parts[at]?.style);
}

/** The rows of what stands in the source from `shownTo` on; 0: of the whole line. They are its last rows, at an equal width. */
function restRows(line: StyledLine, shownTo: number, columns: number): Row[] {
	if (shownTo === 0) return rowsOf(line, columns);
	const hang = line.hang <= columns / 2 ? line.hang : 0;
	const rest = line.parts.flatMap((part) => restOf(part, shownTo));
	const parts = rest.map((part, at) => (at > 0 || line.isVerbatim ? part : { ...part, text: part.text.trimStart() }));
	const rows = rowsOf({ ...line, parts, hang: 0, from: shownTo }, columns - hang);
	if (hang === 0) return rows;
	const indent = { text: " ".repeat(hang), style: "plain" } as const;
	return rows.map((row) => ({ ...row, indent: hang, parts: [indent, ...row.parts] }));
}

function restOf(part: Part, shownTo: number): Part[] {
	if (part.from >= shownTo) return [part];
	const cut = shownTo - part.from;
	if (part.isReplaced === true || cut >= part.text.length) return [];
	return [{ ...part, text: part.text.slice(cut), from: shownTo }];
}

function safeText(text: string): string {
	return cleanText(redactKnown(text));
}

type Cell = readonly Part[];

const RULE = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/;
const MOST_COLUMNS = 50;
const LEAST_COLUMN = 6;
const SEPARATOR = " │ ";

function isOfTable(line: string): boolean {
	return /^\s*\|/.test(line);
}

/** Lines of `isOfTable`. A table that has no rule, or too many columns, stays as it was written. */
function tableLines(lines: readonly string[], columns: number): Line[] {
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

/** The widest columns shrink until all fit into the room. */
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
