/** What a model thinks, dimmed: its first line, or all of it when the person has asked for that. Pure. */
import type { ShownLine } from "../../text/styled-line.ts";
import { MarkdownStream } from "./markdown-stream.ts";
import { counted, cutRow, rowsWithin, shownLine } from "./shown-lines.ts";

const MARK = "thinking: ";
const MORE = "  ";
const MOST_FIRST = 2_000; // characters of the first line that are looked at
const LIVE_ROWS = 3;
const NARROW = 60;

export class Thinking {
	private readonly columns: () => number;
	/** Undefined: only the first line is shown. */
	private readonly all: MarkdownStream | undefined;
	private first = "";
	private hasFirst = false;
	/** The end of what has come. */
	private newest = "";
	private lines = 0;

	constructor(columns: () => number, isWhole: boolean) {
		this.columns = columns;
		this.all = isWhole ? new MarkdownStream(() => columns() - MORE.length) : undefined;
	}

	add(text: string): ShownLine[] {
		if (this.all !== undefined) return this.all.add(text).map(indented);
		this.newest = (this.newest + text).slice(-this.columns() * LIVE_ROWS);
		if (!this.hasFirst) this.first = (this.first + text).slice(0, MOST_FIRST).trimStart();
		this.hasFirst ||= /\S[^\n]*\n/.test(this.first) || this.first.length >= MOST_FIRST;
		this.lines += text.split("\n").length - 1;
		return [];
	}

	end(): ShownLine[] {
		if (this.all !== undefined) return this.all.end().map(indented);
		const [first = ""] = this.first.split("\n");
		this.first = ""; // told once
		if (first.trim() === "") return [];
		const isNarrow = this.columns() < NARROW;
		const more = isNarrow ? ` +${this.lines}` : `  … ${counted(this.lines, "more line")} (/thinking)`;
		const rest = this.lines > 0 ? more : "";
		const columns = Math.max(1, this.columns() - rest.length);
		const { parts } = cutRow(first, "dim", { columns, first: MARK });
		return [{ parts: [...parts, { text: rest, style: "dim" }] }];
	}

	live(): ShownLine[] {
		if (this.all !== undefined) return this.all.live().map(indented);
		return rowsWithin(this.newest.trimStart(), "dim", { columns: this.columns(), first: MARK }).slice(-LIVE_ROWS);
	}
}

function indented({ parts }: ShownLine): ShownLine {
	const [indent] = shownLine(MORE).parts;
	return {
		parts: [...(indent === undefined ? [] : [indent]), ...parts.map(({ text }) => ({ text, style: "dim" }) as const)],
	};
}
