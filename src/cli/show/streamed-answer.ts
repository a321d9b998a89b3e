/** An answer while it is written, as rows: each is told when it is full, or its line has ended. Pure. */
import type { ModelDelta } from "../../core/model.ts";
import type { StoryItem } from "../../events/agent-story.ts";
import { rowsOf } from "../text/rows.ts";
import { THINKING } from "../text/story-lines.ts";
import type { StoryView } from "../text/story-view.ts";

type Kind = "text" | "thinking";
type SaidBlock = Extract<StoryItem, { is: "said" }>["block"];

interface Block {
	readonly kind: Kind;
	readonly index: number | undefined;
	text: string;
	readonly rows: GrowingRows;
}

export class StreamedAnswer {
	private readonly view: StoryView;
	private readonly blocks: Block[] = [];
	private last: ModelDelta["kind"] | undefined;
	private finished = 0;

	constructor(view: StoryView) {
		this.view = view;
	}

	/** The rows that are complete with this piece. Commands are told when they start. */
	add({ kind, text, block: index }: ModelDelta): string[] {
		const isNew = kind !== this.last || (index !== undefined && index !== this.blocks.at(-1)?.index);
		this.last = kind;
		const before = isNew ? (this.blocks.at(-1)?.rows.end() ?? []) : [];
		if (kind === "command") return before;
		if (isNew) this.blocks.push({ kind, index, text: "", rows: new GrowingRows(kind, this.view) });
		const block = this.blocks.at(-1) as Block;
		block.text += text;
		return [...before, ...block.rows.add(text)];
	}

	/** Something of it was told. */
	get hasTold(): boolean {
		return this.blocks.length > 0;
	}

	/** What is not told so far of what has come, when there will be no more. */
	flush(): string[] {
		return this.blocks.at(-1)?.rows.end() ?? [];
	}

	/**
	 * What is not told so far of the next block of the recorded answer; undefined when nothing of it was told, or something
	 * else.
	 */
	finish(recorded: SaidBlock): string[] | undefined {
		const block = this.blocks[this.finished];
		const text =
			recorded.type === "text" ? recorded.text : recorded.type === "thinking" ? recorded.thinking : undefined;
		if (block?.kind !== recorded.type || !text?.startsWith(block.text)) return undefined;
		this.finished++;
		return [...block.rows.add(text.slice(block.text.length)), ...block.rows.end()];
	}
}

class GrowingRows {
	private readonly kind: Kind;
	private readonly view: StoryView;
	private begun = "";
	/** Rows of the begun line that are told. */
	private told = 0;
	/** Empty lines are told when something follows. */
	private empty = 0;
	private isFirst = true;

	constructor(kind: Kind, view: StoryView) {
		this.kind = kind;
		this.view = view;
	}

	add(text: string): string[] {
		const lines = (this.begun + text).split("\n");
		this.begun = lines.pop() ?? "";
		const ended = lines.flatMap((line) => this.ended(line));
		const rows = this.rowsOf(this.begun);
		const full = rows.slice(this.told, -1);
		this.told += full.length;
		return full.length === 0 ? ended : [...ended, ...this.afterEmpty(full)];
	}

	/** What is left; nothing when it was asked before. */
	end(): string[] {
		const rest = this.begun;
		this.begun = "";
		return this.ended(rest);
	}

	private ended(line: string): string[] {
		const rows = this.rowsOf(line);
		const news = rows.slice(this.told);
		this.told = 0;
		if (rows.length === 0) this.empty++;
		else this.isFirst = false;
		return news.length === 0 ? [] : this.afterEmpty(news);
	}

	private afterEmpty(rows: readonly string[]): string[] {
		const empty = Array.from({ length: this.empty }, () => "");
		this.empty = 0;
		return [...empty, ...rows];
	}

	private rowsOf(line: string): string[] {
		const { columns, paint } = this.view;
		if (this.kind === "text") return rowsOf(line, { columns });
		const first = this.isFirst ? THINKING : " ".repeat(THINKING.length);
		return rowsOf(line, { columns, first, more: " ".repeat(THINKING.length) }).map(paint.dim);
	}
}
