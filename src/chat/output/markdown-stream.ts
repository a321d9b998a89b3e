/**
 * Markdown that comes in pieces, as lines that can be appended for good. A line is given when it is whole; of a long one each
 * row whose look can no longer change. What is not given so far is live. The lines of code and tables are given unbroken, so
 * that they can be copied out of the terminal. Pure.
 */
import { type Fence, fenceAfter, markdownLines } from "../../text/markdown.ts";
import { type Row, rowsOf, type ShownLine, type Style, type StyledLine } from "../../text/styled-line.ts";
import { safeText } from "./shown-lines.ts";
import { isOfTable, tableLines } from "./table.ts";

const MOST_BEGUN = 4_096; // characters of a line that are looked at again with each piece
const MOST_CODE_ROWS = 3; // of a line of code that does not end
const MOST_TABLE_LINES = 200;

export class MarkdownStream {
	private readonly columns: () => number;
	private fence: Fence | undefined;
	/** The line that has not ended. */
	private begun = "";
	/** So much of what the begun line shows was given. */
	private given = 0;
	/** The begun line is the rest of a longer one. */
	private goesOn = false;
	private table: string[] = [];
	/** Empty lines are given when something follows. */
	private hasGap = false;
	private isFirst = true;

	constructor(columns: () => number) {
		this.columns = columns;
	}

	add(text: string): ShownLine[] {
		const lines = (this.begun + text).split("\n");
		this.begun = lines.pop() ?? "";
		const ended = lines.flatMap((line) => this.ended(line));
		return [...ended, ...this.fullRows()];
	}

	/** What is left, when there will be no more; nothing when it was asked before. */
	end(): ShownLine[] {
		const rest = this.begun;
		this.begun = "";
		return [...(rest === "" ? [] : this.ended(rest)), ...this.endTable()];
	}

	/** What has come and was not given. */
	live(): ShownLine[] {
		const table = this.table.map((line) => plainRow(line));
		if (this.begun === "") return table;
		return [...table, ...this.rows(safeText(this.begun), true).filter(({ from }) => from >= this.given)];
	}

	private ended(raw: string): ShownLine[] {
		const line = safeText(raw);
		const { given } = this;
		this.given = 0;
		if (this.goesOn || given > 0) {
			const rows = this.rows(line, false).filter(({ from }) => from >= given);
			this.goesOn = false;
			return rows;
		}
		if (this.fence === undefined && isOfTable(line) && this.table.length < MOST_TABLE_LINES) {
			this.table.push(line);
			return [];
		}
		return [...this.endTable(), ...this.whole(line)];
	}

	private whole(line: string): ShownLine[] {
		const next = fenceAfter(line, this.fence);
		if (next !== this.fence) {
			this.fence = next;
			return this.afterGap([{ parts: [{ text: line.trim(), style: "dim" }] }]);
		}
		if (line.trim() === "") {
			this.hasGap = !this.isFirst;
			return this.fence === undefined ? [] : this.afterGap([]);
		}
		return this.afterGap(this.rows(line, false));
	}

	private endTable(): ShownLine[] {
		if (this.table.length === 0) return [];
		const lines = tableLines(this.table, this.columns());
		this.table = [];
		return this.afterGap(lines);
	}

	/** Rows of the begun line that are full, and look the same however it goes on. */
	private fullRows(): ShownLine[] {
		if (this.begun.length < this.columns()) return [];
		const line = safeText(this.begun);
		if (!this.goesOn && this.given === 0 && this.fence === undefined && isOfTable(line)) return [];
		const open = this.rows(line, true);
		if (this.fence !== undefined && open.length <= MOST_CODE_ROWS) return [];
		const closed = this.rows(line, false);
		let full = 0;
		while (full < open.length - 1 && isSame(open[full], closed[full])) full++;
		const isLong = line.length > MOST_BEGUN;
		if (isLong) full = Math.max(full, open.length - 1);
		const rows = open.slice(0, full).filter(({ from }) => from >= this.given);
		if (full > 0) this.given = open[full]?.from ?? this.given;
		if (isLong) this.shorten(line);
		return rows.length === 0 ? [] : this.afterGap(rows);
	}

	/** Forgets what was given of the begun line. */
	private shorten(line: string): void {
		this.begun = line.slice(this.given);
		this.given = 0;
		this.goesOn = true;
	}

	private rows(line: string, isOpen: boolean): Row[] {
		const columns = this.columns();
		const [styled] = this.goesOn
			? [goingOn(line, this.fence !== undefined)]
			: markdownLines(line, { isOpen, fence: this.fence });
		if (styled === undefined) return [{ from: 0, at: 0, indent: 0, parts: [{ text: line.trim(), style: "dim" }] }];
		if (this.fence === undefined) return rowsOf(styled, columns);
		const code = { ...styled, parts: styled.parts.filter(({ isReplaced }) => isReplaced !== true), hang: 0 };
		const isWhole = !isOpen && this.given === 0 && !this.goesOn;
		return isWhole ? [{ from: 0, at: 0, indent: 0, parts: code.parts }] : rowsOf(code, columns);
	}

	private afterGap(lines: readonly ShownLine[]): ShownLine[] {
		if (lines.length === 0) return [];
		const gap = this.hasGap ? [{ parts: [] }] : [];
		this.hasGap = false;
		this.isFirst = false;
		return [...gap, ...lines];
	}
}

function goingOn(text: string, isCode: boolean): StyledLine {
	const style: Style = isCode ? "code" : "plain";
	return { parts: [{ text, style, from: 0 }], hang: 0, from: 0, isVerbatim: isCode };
}

function plainRow(text: string): ShownLine {
	return { parts: [{ text, style: "plain" }] };
}

function isSame(a: Row | undefined, b: Row | undefined): boolean {
	if (a === undefined || b === undefined || a.from !== b.from || a.parts.length !== b.parts.length) return false;
	return a.parts.every(({ text, style }, at) => text === b.parts[at]?.text && style === b.parts[at]?.style);
}
