/** An answer while it is written: what can be appended of it, and what is live. Commands are told when they start. Pure. */
import type { AssistantBlock } from "../../../core/model/message.ts";
import { isSamePiece, type ModelDelta } from "../../../core/model/model.ts";
import { type Line, segment } from "../../../tui/text/line.ts";
import { MarkdownStream } from "../../../tui/text/markdown-stream.ts";
import { counted, cutRow, rowsWithin } from "./shown-lines.ts";
import type { Spoken } from "./spacing.ts";

const LIVE_COMMAND_CHARS = 400;

interface Block {
	readonly first: ModelDelta;
	/** What has come of it; of a command the end of that. */
	text: string;
	readonly stream: MarkdownStream | Thinking | undefined;
}

export interface AnswerView {
	readonly columns: () => number;
	/** All that is thought is shown. */
	readonly isThinkingShown: () => boolean;
}

export class StreamedAnswer {
	private readonly view: AnswerView;
	private readonly blocks: Block[] = [];
	/** Blocks of the recorded answer that were told. */
	private finished = 0;
	/** So much was seen again of what comes from its beginning once more. */
	private seen: { at: number; chars: number } | undefined;
	/** No more of it comes. */
	private isOver = false;

	constructor(view: AnswerView) {
		this.view = view;
	}

	/** What comes next comes from the beginning of the answer: what of it was told is told no more. */
	replay(): void {
		this.seen = { at: 0, chars: 0 };
	}

	/** The lines that are complete with this piece. */
	add(delta: ModelDelta): Spoken[] {
		const text = this.unseenOf(delta);
		return text === "" ? [] : this.addNew({ ...delta, text });
	}

	/** Another text than before is all new: the call was made again. */
	private unseenOf(delta: ModelDelta): string {
		const { seen, blocks } = this;
		if (seen === undefined) return delta.text;
		const next = blocks[seen.at + 1];
		if (next !== undefined && isSamePiece(next.first, delta)) this.seen = { at: seen.at + 1, chars: 0 };
		const { at, chars } = this.seen ?? seen;
		const block = blocks[at];
		const known = block !== undefined && isSamePiece(block.first, delta) ? block.text.slice(chars) : "";
		const again = Math.min(known.length, delta.text.length);
		if (known.slice(0, again) !== delta.text.slice(0, again)) blocks.splice(0);
		else if (again === delta.text.length) {
			this.seen = { at, chars: chars + again };
			return "";
		}
		this.seen = undefined;
		return blocks.length === 0 ? delta.text : delta.text.slice(again);
	}

	private addNew(delta: ModelDelta): Spoken[] {
		const last = this.blocks.at(-1);
		if (last !== undefined && isSamePiece(last.first, delta)) return this.grow(last, delta.text);
		const block: Block = { first: delta, text: "", stream: this.streamOf(delta.kind) };
		this.blocks.push(block);
		return [...(last === undefined ? [] : endOf(last)), ...this.grow(block, delta.text)];
	}

	/** What was not given of the block that goes on, when there will be no more. Nothing of it is live from then on. */
	flush(): Spoken[] {
		this.isOver = true;
		const last = this.blocks.at(-1);
		return last === undefined ? [] : endOf(last);
	}

	/** What was not given of the next block of the recorded answer; of one that did not stream so, all of it. */
	finish(recorded: AssistantBlock): Spoken[] {
		const kind = recorded.type === "text" || recorded.type === "thinking" ? recorded.type : undefined;
		if (kind === undefined) return [];
		const text = recorded.type === "text" ? recorded.text : String((recorded as { thinking: string }).thinking);
		const streamed = this.blocks.slice(this.finished).findIndex(({ first }) => first.kind === kind);
		const block = this.blocks[this.finished + streamed];
		if (streamed >= 0 && block !== undefined && text.startsWith(block.text)) {
			this.finished += streamed + 1;
			return [...this.grow(block, text.slice(block.text.length)), ...endOf(block)];
		}
		const whole: Block = { first: { kind, text: "" }, text: "", stream: this.streamOf(kind) };
		return [...this.grow(whole, text), ...endOf(whole)];
	}

	live(): Spoken | undefined {
		const last = this.blocks.at(-1);
		if (last === undefined || this.isOver) return undefined;
		if (last.stream !== undefined) return { kind: last.first.kind, lines: last.stream.live() };
		const row = cutRow(last.text.trimStart(), "command", { columns: this.view.columns(), first: "$ " });
		return { kind: "command", lines: last.text.trim() === "" ? [] : [row] };
	}

	private streamOf(kind: ModelDelta["kind"]): Block["stream"] {
		switch (kind) {
			case "text":
				return new MarkdownStream(this.view.columns);
			case "thinking":
				return new Thinking(this.view.columns, this.view.isThinkingShown());
			case "command":
				return undefined;
		}
	}

	private grow(block: Block, text: string): Spoken[] {
		block.text += text;
		if (block.stream === undefined) block.text = block.text.slice(0, LIVE_COMMAND_CHARS);
		return spoken(block, block.stream?.add(text) ?? []);
	}
}

function endOf(block: Block): Spoken[] {
	return spoken(block, block.stream?.end() ?? []);
}

function spoken(block: Block, lines: readonly Line[]): Spoken[] {
	return lines.length === 0 ? [] : [{ kind: block.first.kind, lines }];
}

/** What a model thinks, dimmed: its first line, or all of it when the person has asked for that. Pure. */

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
		this.first = ""; // told once
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
