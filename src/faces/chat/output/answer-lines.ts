/** An answer while it is written: what can be appended of it, and what is live. Commands are shown when they start. Pure. */
import { counted } from "../../../text/numbers.ts";
import { type Line, segment } from "../../../tui/text/line.ts";
import { MarkdownStream } from "../../../tui/text/markdown-stream.ts";
import type { SaidItem } from "../../../view/transcript/items.ts";
import { cutRow, rowsWithin, type Spoken } from "./shown-lines.ts";

const LIVE_COMMAND_CHARS = 400;

interface Stream {
	readonly lines: MarkdownStream | Thinking;
	chars: number;
}

interface AnswerView {
	readonly columns: () => number;
	readonly isThinkingShown: () => boolean;
}

export class AnswerLines {
	private readonly view: AnswerView;
	private readonly streams = new Map<string, Stream>();
	private newest: SaidItem | undefined;

	constructor(view: AnswerView) {
		this.view = view;
	}

	/** The lines that are complete now. `grownBy`: the end of its text, if that is all that has changed. */
	take(item: SaidItem, grownBy?: string): Spoken[] {
		const { key, kind, text, state } = item;
		this.newest = state === "streaming" ? item : undefined;
		if (kind === "command" || kind === "other") return [];
		const stream = this.streams.get(key) ?? { lines: this.streamOf(kind), chars: 0 };
		this.streams.set(key, stream);
		const isNextPart = grownBy !== undefined && stream.chars + grownBy.length === text.length;
		const added = stream.lines.add(isNextPart ? grownBy : text.slice(stream.chars)); // a slice would copy all of a long answer
		stream.chars = text.length;
		const lines = state === "streaming" ? added : [...added, ...stream.lines.end()];
		return lines.length === 0 ? [] : [{ kind, lines }];
	}

	forget(): void {
		this.streams.clear();
		this.newest = undefined;
	}

	live(): Spoken | undefined {
		if (this.newest === undefined) return undefined;
		const { key, kind, text } = this.newest;
		if (kind === "other") return undefined;
		if (kind !== "command") return { kind, lines: this.streams.get(key)?.lines.live() ?? [] };
		const begin = text.slice(0, LIVE_COMMAND_CHARS).trimStart();
		const row = cutRow(begin, "command", { columns: this.view.columns(), first: "$ " });
		return { kind, lines: begin === "" ? [] : [row] };
	}

	private streamOf(kind: "text" | "thinking"): Stream["lines"] {
		if (kind === "text") return new MarkdownStream(this.view.columns);
		return new Thinking(this.view.columns, this.view.isThinkingShown());
	}
}

const MARK = "thinking: ";
const MORE = "  ";
const MOST_FIRST = 2_000; // characters of the first line that are looked at
const LIVE_ROWS = 3;
const NARROW = 60;

class Thinking {
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

	add(text: string): Line[] {
		if (this.all !== undefined) return this.all.add(text).map(indented);
		this.newest = (this.newest + text).slice(-this.columns() * LIVE_ROWS);
		if (!this.hasFirst) this.first = (this.first + text).slice(0, MOST_FIRST).trimStart();
		this.hasFirst ||= /\S[^\n]*\n/.test(this.first) || this.first.length >= MOST_FIRST;
		this.lines += text.split("\n").length - 1;
		return [];
	}

	end(): Line[] {
		if (this.all !== undefined) return this.all.end().map(indented);
		const [first = ""] = this.first.split("\n");
		this.first = ""; // shown once
		if (first.trim() === "") return [];
		const isNarrow = this.columns() < NARROW;
		const more = isNarrow ? ` +${this.lines}` : `  … ${counted(this.lines, "more line")} (/thinking)`;
		const rest = this.lines > 0 ? more : "";
		const columns = Math.max(1, this.columns() - rest.length);
		return [[...cutRow(first, "dim", { columns, first: MARK }), segment(rest, "dim")]];
	}

	live(): Line[] {
		if (this.all !== undefined) return this.all.live().map(indented);
		return rowsWithin(this.newest.trimStart(), "dim", { columns: this.columns(), first: MARK }).slice(-LIVE_ROWS);
	}
}

function indented(line: Line): Line {
	return [segment(MORE), ...line.map(({ text }) => segment(text, "dim"))];
}
