/**
 * What a conversation shows: of all that it is told lines that are appended for good, and rows that are live until then. It keeps
 * nothing of what was appended, so a conversation of days costs as much as one of minutes. Pure.
 */
import { parentOf, ROOT } from "../../../core/model/agent.ts";
import type { AssistantEntry, NoteEntry, TranscriptEntry } from "../../../core/model/transcript.ts";
import type { RunEvent } from "../../../core/run/run-event.ts";
import type { RunState } from "../../../core/run/run-state.ts";
import type { TodoItem } from "../../../core/schemas/agent.ts";
import type { Line } from "../../../tui/text/line.ts";
import { describeNote } from "../../../view/words/notes.ts";
import { Children } from "./children.ts";
import { Commands } from "./commands.ts";
import { isAtWork, type Moment, rootDoes } from "./doing.ts";
import { earlierText, messagesIn, personsWords, waitingRows } from "./messages.ts";
import { NOTICE_MARK, noticeOf } from "./notices.ts";
import { type Said, spokenOf } from "./said.ts";
import { counted, cutRow, rowsWithin, shownLine } from "./shown-lines.ts";
import { Spacing, type Spoken } from "./spacing.ts";
import { StreamedAnswer } from "./streamed-answer.ts";
import type { Told } from "./told.ts";

const VOID = "the call is made again: what stands above of its answer is void";
const MOST_TEXT_ROWS = 6;
const MOST_CHILDREN = 8;

export interface OutputOptions {
	/** Of the terminal now. */
	readonly columns: () => number;
}

export class Output {
	private readonly columns: () => number;
	private readonly spacing = new Spacing();
	private readonly commands: Commands;
	private readonly children = new Children();
	private answer: StreamedAnswer;
	/** Of the turn under way something was appended. */
	private hasAppended = false;
	/** The newest turn whose answer is recorded, or that is over without one. */
	private lastTurn = 0;
	/** Appended since the newest command began. */
	private sinceCommand = 0;
	/** Told of by the newest event. */
	private changedModel: string | undefined;
	private isThinkingShown = false;
	/** Something was said. */
	private hasBegun = false;
	/** The newest turn of which pieces came. */
	private streamedTurn = 0;
	private plan: readonly TodoItem[] = [];
	/** It is told when all is told of what it has ended. */
	private interruption: RunEvent | undefined;
	/** What the newest call came to nothing by, and was told. */
	private failedBecause: string | undefined;

	constructor({ columns }: OutputOptions) {
		this.columns = columns;
		this.commands = new Commands(columns);
		this.answer = this.newAnswer();
	}

	/** `run`: as it is after what is told. */
	tell(told: Told, run: RunState): Line[] {
		switch (told.is) {
			case "event":
				return this.append(this.event(told.event, run, told.answer ?? ""));
			case "entry":
				return this.append(this.entry(told.entry));
			case "earlier": {
				const text = earlierText(told.entries, this.hasBegun);
				this.hasBegun = true;
				return this.append([{ kind: "notice", lines: this.noticeRows(text, "dim") }]);
			}
			case "again":
				this.commands.keep(told.running);
				this.answer.replay();
				this.interruption = undefined;
				return [];
			case "delta": {
				if (told.turn <= this.lastTurn) return [];
				this.streamedTurn = told.turn;
				const spoken = this.answer.add(told.delta);
				this.hasAppended ||= spoken.length > 0;
				return this.append(spoken);
			}
			case "printed":
				this.commands.printed(told.command, told.lines, told.skipped);
				return [];
		}
	}

	/** Lines that this program says by itself, such as the answer to a slash command. */
	say(said: Said): Line[] {
		return this.append([spokenOf(said, this.columns())]);
	}

	/** Whether all that is thought is shown, from the next thought on. */
	showThinking(isShown: boolean): void {
		this.isThinkingShown = isShown;
	}

	/** At most `room` rows of what goes on. */
	live(run: RunState, moment: Moment, room: number): Line[] {
		const columns = this.columns();
		const root = run.agents[ROOT];
		const rows: Line[] = [];
		const left = () => room - rows.length;
		rows.unshift(...waitingRows(root?.messages ?? [], columns, left()));
		rows.unshift(...this.doing(run, moment).slice(0, left()));
		const text = this.answer.live();
		const newest = lastOf(text?.lines ?? [], Math.min(MOST_TEXT_ROWS, left() - 1));
		const spoken = text === undefined ? [] : this.spacing.before({ ...text, lines: newest });
		const commands = this.commands.live(moment.now, left() - spoken.length);
		const free = left() - spoken.length - commands.length;
		const children = this.children.rows(run, moment, { columns, room: Math.min(MOST_CHILDREN, free) });
		const plan = planRows(isAtWork(root) ? (root?.todo ?? []) : [], columns, free - children.length);
		return [...spoken, ...commands, ...children, ...plan, ...rows];
	}

	private append(spoken: readonly Spoken[]): Line[] {
		const lines = spoken.flatMap((one) => this.spacing.put(one));
		this.sinceCommand += lines.length;
		return lines;
	}

	private event(event: RunEvent, run: RunState, answer: string): Spoken[] {
		if (event.event === "agent_changed" && event.agent === ROOT) this.changedModel = event.model;
		if ("agent" in event && event.agent === ROOT) {
			const spoken = this.ofRoot(event);
			if (spoken !== undefined) return spoken;
		}
		if (event.event === "message_sent" && event.agent !== ROOT && event.from === null)
			return [personsWords(event.text, this.columns(), event.agent)];
		if (event.event === "agent_ended" && parentOf(event.agent) === ROOT) {
			const child = run.agents[event.agent];
			if (child === undefined) return [];
			return [{ kind: "child", lines: [this.children.summary(run, child, { answer, columns: this.columns() })] }];
		}
		return [{ kind: "notice", lines: noticeOf(event, this.columns()) }];
	}

	/** Undefined for an event that is a notice like others. */
	private ofRoot(event: RunEvent): Spoken[] | undefined {
		switch (event.event) {
			case "turn_started":
				if (event.purpose === undefined) this.begin();
				return [];
			case "turn_retrying": {
				const isVoid = this.hasAppended;
				this.begin();
				const lines = noticeOf(event, this.columns());
				return [{ kind: "notice", lines: isVoid ? [...lines, ...this.noticeRows(VOID, "warn")] : lines }];
			}
			case "turn_failed":
			case "turn_cancelled":
				this.failedBecause = event.event === "turn_failed" ? event.reason : undefined;
				return [...this.answer.flush(), { kind: "notice", lines: noticeOf(event, this.columns()) }];
			case "agent_interrupted":
				this.interruption = event;
				return [];
			case "agent_listening": {
				const isTold = event.reason === this.failedBecause; // by the call that has failed
				const told = [...(this.interruption === undefined ? [] : [this.interruption]), ...(isTold ? [] : [event])];
				this.interruption = undefined;
				this.failedBecause = undefined;
				return told.map((one) => ({ kind: "notice", lines: noticeOf(one, this.columns()) }));
			}
			case "command_started": {
				const started = this.commands.started(event);
				this.sinceCommand = -started.reduce((sum, { lines }) => sum + lines.length, 1);
				return started;
			}
			case "command_ended":
				return this.commands.ended(event, this.sinceCommand <= 0);
			case "todo_changed": {
				const lines = planLines(event.items, this.plan, this.columns());
				this.plan = event.items;
				return [{ kind: "notice", lines }];
			}
			default:
				return undefined;
		}
	}

	private entry(entry: TranscriptEntry): Spoken[] {
		switch (entry.role) {
			case "user": {
				const view = { columns: this.columns(), isFirst: !this.hasBegun };
				this.hasBegun = true;
				return [...this.commands.results(entry), ...messagesIn(entry, view)];
			}
			case "assistant":
				return this.answered(entry);
			case "note":
				return this.note(entry);
		}
	}

	private answered({ content, turn }: AssistantEntry): Spoken[] {
		this.commands.answered(content);
		const { answer } = this;
		this.lastTurn = Math.max(this.lastTurn, turn);
		const spoken = content.flatMap((block) => answer.finish(block));
		this.begin();
		return spoken;
	}

	/** Events tell of calls that broke. What had streamed of one is only here, unless it was told as it streamed. */
	private note(note: NoteEntry): Spoken[] {
		const columns = this.columns();
		if (note.note === "changed" && note.model === this.changedModel) return []; // its event has told
		if (note.note !== "call") return [{ kind: "notice", lines: this.noticeRows(describeNote(note), "dim") }];
		const isTold = this.streamedTurn >= note.turn || note.outcome === "retried" || note.outcome === "compaction";
		return isTold ? [] : [{ kind: "text", lines: rowsWithin(note.partial ?? "", "dim", { columns }) }];
	}

	private begin(): void {
		this.answer = this.newAnswer();
		this.hasAppended = false;
	}

	private newAnswer(): StreamedAnswer {
		return new StreamedAnswer({ columns: this.columns, isThinkingShown: () => this.isThinkingShown });
	}

	private doing(run: RunState, moment: Moment): Line[] {
		const text = rootDoes(run, moment, this.commands.hasRunning);
		const isPaused = run.agents[ROOT]?.paused !== undefined;
		return text === undefined ? [] : this.noticeRows(text, isPaused ? "warn" : "dim").slice(0, 1);
	}

	private noticeRows(text: string, style: "dim" | "warn"): Line[] {
		return rowsWithin(text, style, { columns: this.columns(), first: NOTICE_MARK });
	}
}

function lastOf<T>(list: readonly T[], count: number): readonly T[] {
	return count <= 0 ? [] : list.slice(-count);
}

/** The plan that the root keeps: all of it when it is made, and live what is done of it. Pure. */

const MARKS: Readonly<Record<TodoItem["is"], string>> = { open: "○", doing: "▸", done: "✓" };
const MOST_ROWS = 8;
const MOST_LINES = 20;

/** At most `room` rows, around what is being done. */
function planRows(items: readonly TodoItem[], columns: number, room: number): Line[] {
	const most = Math.min(MOST_ROWS, room);
	if (items.length === 0 || most < 1) return [];
	if (items.length <= most) return items.map((item) => itemRow(item, columns));
	const at = Math.max(
		0,
		items.findIndex(({ is }) => is !== "done"),
	);
	const from = Math.max(0, Math.min(at - 1, items.length - most + 1));
	const shown = items.slice(from, from + most - 1).map((item) => itemRow(item, columns));
	return [...shown, shownLine(`  … ${counted(items.length - most + 1, "more item")} of the plan`, "dim")];
}

/** For good: of a plan with other items than before all of them. */
function planLines(items: readonly TodoItem[], before: readonly TodoItem[], columns: number): Line[] {
	const isSame = items.length === before.length && items.every(({ text }, at) => text === before[at]?.text);
	if (isSame || items.length === 0) return [];
	const rows = items.slice(0, MOST_LINES).map((item) => itemRow(item, columns));
	const left = items.length - rows.length;
	return left === 0 ? rows : [...rows, shownLine(`  … ${counted(left, "more item")}`, "dim")];
}

function itemRow({ text, is }: TodoItem, columns: number): Line {
	return cutRow(text, is === "doing" ? "plain" : "dim", { columns, first: `  ${MARKS[is]} ` });
}
