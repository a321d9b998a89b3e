/**
 * The turns of an agent as they go on: each is told when it begins, what breaks its call when it breaks, and its answer while
 * it is written; what the answer took is told when it is recorded. Pure.
 */
import type { ModelDelta } from "../../../core/model/model.ts";
import type { RunEvent } from "../../../core/run/run-event.ts";
import { oneLine } from "../../../text/safe/terminal-safe.ts";
import type { StoryItem, ToldTurn } from "../../../view/agent-story.ts";
import { shortTime } from "../../../view/clock-time.ts";
import { meaningOf } from "../../../view/events/event-meaning.ts";
import { turnFacts } from "../../../view/turn-facts.ts";
import { rowsOf } from "../rows.ts";
import { markedLines, storyLines, THINKING, turnTitle } from "../story-lines.ts";
import type { StoryView } from "../story-view.ts";

export type TurnEvent = Extract<
	RunEvent,
	{ event: "turn_started" | "turn_retrying" | "turn_ended" | "turn_failed" | "turn_cancelled" }
>;
type Said = Extract<StoryItem, { is: "said" }>;

/** The messages that go with a call are recorded shortly after it has begun, and belong above it. */
const TITLE_AFTER_MS = 150;

interface Turn {
	readonly turn: number;
	readonly at: number;
	/** How often its call was made again. */
	readonly attempt: number;
	readonly answer: StreamedAnswer;
}

export class LiveTurns {
	private readonly view: StoryView;
	/** The turn that is under way. */
	private open: Turn | undefined;
	/** The newest turn that was without an answer. */
	private broken: Turn | undefined;
	private isTitled = false;
	/** The newest turn that is over. */
	private lastTurn = 0;

	constructor(view: StoryView) {
		this.view = view;
	}

	event(event: TurnEvent): string[] {
		const { view } = this;
		const { at, turn } = event;
		switch (event.event) {
			case "turn_started":
				if (event.purpose !== undefined) return markedLines(at, meaningOf(event).text, view).map(view.paint.dim);
				this.begin({ turn, at, attempt: 0 });
				return [];
			case "turn_retrying":
				return [...this.title(), ...this.again(event)];
			case "turn_ended":
				return []; // its answer tells
			case "turn_failed": {
				const lines = markedLines(at, oneLine(meaningOf(event).text), view).map(view.paint.red);
				return event.purpose === undefined ? [...this.close(), ...lines] : lines;
			}
			case "turn_cancelled":
				return [...this.close(), ...markedLines(at, meaningOf(event).text, view).map(view.paint.dim)];
		}
	}

	/** The turn was under way when all that is recorded was told, with its title. */
	goOn(turn: number, at: number, attempt: number): void {
		this.begin({ turn, at, attempt });
		this.isTitled = true;
	}

	/** Whether a piece belongs to the call that is under way, to one of before, or to one that is not known yet. */
	placeOf(turn: number, attempt: number): "now" | "past" | "future" {
		const { open } = this;
		if (open === undefined) return this.lastTurn < turn ? "future" : "past";
		if (turn !== open.turn) return turn < open.turn ? "past" : "future";
		if (attempt === open.attempt) return "now";
		return attempt < open.attempt ? "past" : "future";
	}

	piece(delta: ModelDelta): string[] {
		const rows = this.open?.answer.add(delta) ?? [];
		return rows.length === 0 ? [] : [...this.title(), ...rows];
	}

	/** Of an answer that was told while it was written only what was not told, and what it took. */
	answer(told: ToldTurn, said: readonly Said[]): string[] {
		const { view, open } = this;
		const isOpen = open?.turn === told.turn;
		const wasTitled = isOpen && this.isTitled;
		const head = wasTitled ? [] : ["", ...turnTitle(told, view)];
		const text = said.flatMap(
			(item) => (isOpen ? open.answer.finish(item.block) : undefined) ?? storyLines(item, view),
		);
		const facts = wasTitled ? this.factsOf(told) : [];
		this.open = undefined;
		this.lastTurn = told.turn;
		return [...head, ...text, ...facts];
	}

	/** What is not told so far of an answer that broke off; undefined when nothing of it was told. */
	partial(turn: number): string[] | undefined {
		const broken = [this.open, this.broken].find((one) => one?.turn === turn && one.answer.hasTold);
		return broken?.answer.flush();
	}

	/** As `partial`, when the agent does no more. */
	rest(): string[] {
		const rows = this.open?.answer.flush() ?? [];
		return rows.length === 0 ? [] : [...this.title(), ...rows];
	}

	tick(now: number): string[] {
		return this.open === undefined || now < this.open.at + TITLE_AFTER_MS ? [] : this.title();
	}

	private begin(turn: Omit<Turn, "answer">): void {
		this.open = { ...turn, answer: new StreamedAnswer(this.view) };
		this.isTitled = false;
	}

	private close(): string[] {
		const lines = [...this.title(), ...(this.open?.answer.flush() ?? [])];
		this.lastTurn = this.open?.turn ?? this.lastTurn;
		this.broken = this.open;
		this.open = undefined;
		return lines;
	}

	private title(): string[] {
		const { open, view } = this;
		if (open === undefined || this.isTitled) return [];
		this.isTitled = true;
		return ["", view.paint.bold(`turn ${open.turn}  ${shortTime(open.at)}`)];
	}

	/** What had been told of the answer is void. */
	private again(event: Extract<TurnEvent, { event: "turn_retrying" }>): string[] {
		const { open, view } = this;
		const hadBegun = open?.answer.hasTold === true;
		if (open !== undefined) this.open = { ...open, attempt: event.attempt, answer: new StreamedAnswer(view) };
		const isVoid = hadBegun ? "; what stands above of the answer is void" : "";
		return markedLines(event.at, `${oneLine(meaningOf(event).text)}${isVoid}`, view).map(view.paint.dim);
	}

	private factsOf(told: ToldTurn): string[] {
		const facts = turnFacts(told, this.view.isOver).join(", ");
		const { columns, paint } = this.view;
		return facts === ""
			? []
			: rowsOf(`turn ${told.turn}: ${oneLine(facts)}`, { columns, first: "    " }).map(paint.dim);
	}
}

/** An answer while it is written, as rows: each is told when it is full, or its line has ended. Pure. */

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
