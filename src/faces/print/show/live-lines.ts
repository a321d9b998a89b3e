/**
 * A transcript as it goes on, as lines that are printed for good: a turn when it begins, its answer row by row while it is written,
 * a command with its output as it prints. What was printed so is not printed again when it is recorded. Pure.
 */
import { formatBytes } from "../../../core/bytes.ts";
import { oneLine } from "../../../text/safe/terminal-safe.ts";
import type {
	CommandItem,
	NoticeItem,
	SaidItem,
	TranscriptChange,
	TranscriptItem,
	TurnItem,
} from "../../../view/transcript/items.ts";
import { turnFacts, VOID } from "../../../view/transcript/words.ts";
import { rowsOf } from "../rows.ts";
import {
	callLines,
	commandLines,
	endLines,
	itemLines,
	noticeLines,
	resultLines,
	THINKING,
	type TranscriptView,
	turnTitle,
} from "../transcript-lines.ts";

const INDENT = "    ";

interface LiveCommand {
	readonly log: string | undefined;
	/** The margin of its lines. */
	readonly margin: string;
	/** All of its output was printed. */
	isPrinted: boolean;
	hasEnded: boolean;
}

export class LiveLines {
	private readonly view: TranscriptView;
	private readonly commands = new Map<string, LiveCommand>();
	/** The blocks of the newest answer, while they are written. */
	private readonly said = new Map<string, GrowingRows>();
	/** The turn whose title was printed before it was known what it took. */
	private untold: string | undefined;
	/** How many commands the newest answer has. */
	private called = 0;

	constructor(view: TranscriptView) {
		this.view = view;
	}

	/** Items that may change still, when all that is recorded was printed: a command that runs goes on from here. */
	standing(items: readonly TranscriptItem[]): string[] {
		const commands = items.filter((item) => item.is === "command");
		const isOneOfSeveral = commands.filter(({ state }) => state === "running").length > 1;
		this.called = commands.length;
		return items.flatMap((item) => this.stands(item, isOneOfSeveral));
	}

	private stands(item: TranscriptItem, isOneOfSeveral: boolean): string[] {
		if (item.is === "turn" && isUnderWay(item)) this.untold = item.key;
		if (item.is !== "command" || item.result !== undefined) return itemLines(item, this.view);
		if (item.state === "running") return this.begin(item, isOneOfSeveral);
		if (item.state === "waiting") return []; // it is printed when it starts
		this.commands.set(item.key, { log: item.log, margin: INDENT, isPrinted: true, hasEnded: true });
		return itemLines(item, this.view);
	}

	/** The command has ended, and all of its output was printed, if there was any to read. */
	outputEnds(command: CommandItem, isPrinted: boolean): void {
		const live = this.commands.get(command.key);
		if (live !== undefined) live.isPrinted = isPrinted;
	}

	take(change: TranscriptChange): string[] {
		switch (change.is) {
			case "added":
				return this.added(change.item);
			case "changed":
				return this.changed(change.item);
			case "removed":
				return []; // what was printed stays
			case "printed":
				return this.printed(change.item, change.lines, change.skipped);
		}
	}

	private added(item: TranscriptItem): string[] {
		switch (item.is) {
			case "turn":
				this.said.clear();
				this.called = 0;
				return isUnderWay(item) ? this.turnBegins(item) : itemLines(item, this.view);
			case "said":
				return this.saidBegins(item);
			case "command":
				this.called++;
				if (item.result !== undefined) return commandLines(item, this.view);
				return item.state === "running" ? this.begin(item) : [];
			case "notice":
				return this.notice(item);
			case "message":
			case "note":
				return itemLines(item, this.view);
		}
	}

	private changed(item: TranscriptItem): string[] {
		if (item.is === "turn") return this.turnChanges(item);
		if (item.is === "said") return this.said.get(item.key)?.become(item) ?? [];
		return item.is === "command" ? this.commandChanges(item) : [];
	}

	private turnBegins(item: TurnItem): string[] {
		this.untold = item.key;
		return ["", ...turnTitle(item, this.view, [])];
	}

	/** What the turn took is printed below its answer. */
	private turnChanges(item: TurnItem): string[] {
		if (this.untold !== item.key || isUnderWay(item)) return [];
		this.untold = undefined;
		const { columns, paint } = this.view;
		const facts = oneLine(turnFacts(item, this.view).join(", "));
		return facts === "" ? [] : rowsOf(`turn ${item.turn}: ${facts}`, { columns, first: INDENT }).map(paint.dim);
	}

	private saidBegins(item: SaidItem): string[] {
		if (item.state !== "streaming" || item.kind === "command") return itemLines(item, this.view);
		const rows = new GrowingRows(item.kind === "thinking", this.view);
		this.said.set(item.key, rows);
		return rows.become(item);
	}

	/** What had been printed of the answer is void when its call is made again. */
	private notice(item: NoticeItem): string[] {
		const isVoid = item.isRetry && this.said.size > 0;
		if (isVoid) this.said.clear();
		return noticeLines(isVoid ? { ...item, text: `${item.text}; ${VOID}` } : item, this.view);
	}

	/** Where an answer has several commands, their lines carry the commands' numbers. */
	private begin({ key, log, text = "", command }: CommandItem, isOneOfSeveral = this.called > 1): string[] {
		const number = isOneOfSeveral ? String(command).padStart(2) : undefined;
		const margin = number === undefined ? INDENT : `${number}| `;
		this.commands.set(key, { log, margin, isPrinted: false, hasEnded: false });
		return callLines(text, this.view, number === undefined ? "$ " : `${number}$ `);
	}

	private printed({ key }: CommandItem, lines: readonly string[], skipped: number): string[] {
		const { columns, paint, pathOf } = this.view;
		const live = this.commands.get(key);
		if (live === undefined) return [];
		const { margin, log = "" } = live;
		const left = skipped === 0 ? [] : [paint.dim(`${margin}… ${formatBytes(skipped)} omitted: ${pathOf(log)}`)];
		const rows = lines.flatMap((line) => {
			const rowed = rowsOf(line, { columns, first: margin, more: margin });
			return rowed.length === 0 ? [margin.trimEnd()] : rowed;
		});
		return [...left, ...rows];
	}

	private commandChanges(item: CommandItem): string[] {
		const live = this.commands.get(item.key);
		if (live === undefined) return this.unseenChanges(item);
		const isEnd = (item.state === "ended" || item.state === "lost") && !live.hasEnded;
		const ending = isEnd ? endLines(item, this.view) : [];
		live.hasEnded ||= isEnd;
		if (item.result === undefined) return ending;
		this.commands.delete(item.key);
		return [...(live.isPrinted ? [] : resultLines(item, this.view)), ...ending];
	}

	/** Of a command that was not printed so far. */
	private unseenChanges(item: CommandItem): string[] {
		if (item.result !== undefined || item.state === "lost") return commandLines(item, this.view);
		return item.state === "running" ? this.begin(item) : [];
	}
}

/** Also when it is over, and its answer is not recorded yet. */
function isUnderWay({ end, answer }: TurnItem): boolean {
	return answer === undefined && (end === undefined || end.by === "answer");
}

/** A text as rows while it grows: each is given when it is full, or its line has ended. */
class GrowingRows {
	private readonly isThinking: boolean;
	private readonly view: TranscriptView;
	private chars = 0;
	private begun = "";
	/** Rows of the begun line that were given. */
	private given = 0;
	/** Empty lines are given when something follows. */
	private empty = 0;
	private isFirst = true;

	constructor(isThinking: boolean, view: TranscriptView) {
		this.isThinking = isThinking;
		this.view = view;
	}

	/** The rows that are complete now; all that is left of it when it is no longer written. */
	become({ text, state }: SaidItem): string[] {
		const news = this.add(text.slice(this.chars));
		this.chars = text.length;
		return state === "streaming" ? news : [...news, ...this.end()];
	}

	private add(text: string): string[] {
		const lines = (this.begun + text).split("\n");
		this.begun = lines.pop() ?? "";
		const ended = lines.flatMap((line) => this.ended(line));
		const rows = this.rowsOf(this.begun);
		const full = rows.slice(this.given, -1);
		this.given += full.length;
		return full.length === 0 ? ended : [...ended, ...this.afterEmpty(full)];
	}

	private end(): string[] {
		const rest = this.begun;
		this.begun = "";
		return this.ended(rest);
	}

	private ended(line: string): string[] {
		const rows = this.rowsOf(line);
		const news = rows.slice(this.given);
		this.given = 0;
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
		if (!this.isThinking) return rowsOf(line, { columns });
		const first = this.isFirst ? THINKING : " ".repeat(THINKING.length);
		return rowsOf(line, { columns, first, more: " ".repeat(THINKING.length) }).map(paint.dim);
	}
}
