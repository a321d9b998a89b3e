/**
 * What a conversation shows of its updates: lines that are appended for good, and rows that are live until then. It keeps
 * nothing of what was appended, so a conversation of days costs as much as one of minutes. Pure.
 */
import { type Agent, type AgentId, parentOf, ROOT } from "../../../core/model/agent.ts";
import type { ModelDelta } from "../../../core/model/model.ts";
import type { RunState } from "../../../core/run/run-state.ts";
import type { RunEvent } from "../../../core/schemas/run-event.ts";
import type { TodoItem } from "../../../core/schemas/run-state.ts";
import type { TranscriptEntry } from "../../../core/schemas/transcript.ts";
import { counted } from "../../../text/numbers.ts";
import type { Line } from "../../../tui/text/line.ts";
import { NO_ACTIVITY } from "../../../view/agents/activity.ts";
import { RunView } from "../../../view/agents/run-view.ts";
import type { NoteItem, SaidItem, TranscriptChange, TranscriptItem } from "../../../view/transcript/items.ts";
import { Transcript } from "../../../view/transcript/transcript.ts";
import { noteHead, VOID } from "../../../view/transcript/words.ts";
import { AnswerLines } from "./answer-lines.ts";
import { childRows, childSummary } from "./children.ts";
import { CommandLines } from "./command-lines.ts";
import {
	earlierText,
	messageOf,
	NOTICE_MARK,
	noticeOf,
	personsWords,
	type Said,
	spokenOf,
	waitingRows,
} from "./messages.ts";
import { cutRow, rowsWithin, Spacing, type Spoken, shownLine } from "./shown-lines.ts";

const MOST_TEXT_ROWS = 6;
const MOST_CHILDREN = 8;

export class Output {
	private readonly columns: () => number;
	private readonly spacing = new Spacing();
	private readonly transcript = new Transcript(ROOT);
	private readonly commands: CommandLines;
	private readonly answer: AnswerLines;
	/** Of the answer under way something was appended. */
	private hasAppended = false;
	/** Appended since the newest command began. */
	private sinceCommand = 0;
	/** What has streamed of an answer that breaks now is not shown. */
	private isVoid = false;
	/** By the newest event. */
	private changedModel: string | undefined;
	private isThinkingShown = false;
	/** Something was said. */
	private hasBegun = false;
	private plan: readonly TodoItem[] = [];
	/** It is shown once all is shown that it has ended. */
	private interruption: RunEvent | undefined;
	/** Why the newest call has failed, which was shown. */
	private failedBecause: string | undefined;

	constructor(columns: () => number) {
		this.columns = columns;
		this.commands = new CommandLines(columns);
		this.answer = new AnswerLines({ columns, isThinkingShown: () => this.isThinkingShown });
	}

	/** `run`: as it is after the update. */
	update(update: FeedUpdate, run: RunState): Line[] {
		switch (update.is) {
			case "event":
				return this.append(this.event(update.event, run, update.answer ?? ""));
			case "entry":
				return this.append(this.entry(update.entry));
			case "earlier": {
				const text = earlierText(update.entries, this.hasBegun);
				this.hasBegun = true;
				return this.append([this.notice(text, "dim")]);
			}
			case "again":
				this.interruption = undefined;
				return this.append(this.changed(this.transcript.again(update.running)));
			case "delta":
				this.isVoid = true; // of an answer of before, where the call was made again unseen
				return this.append(this.changed(this.transcript.piece(update)));
			case "printed":
				return this.append(this.changed(this.transcript.printed(update.command, update.lines, update.skipped)));
		}
	}

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
		const view = viewAt(run, moment);
		const rows: Line[] = [];
		const left = () => room - rows.length;
		rows.unshift(...waitingRows(root?.messages ?? [], columns, left()));
		rows.unshift(...this.doing(view).slice(0, left()));
		const text = this.answer.live();
		const newest = lastOf(text?.lines ?? [], Math.min(MOST_TEXT_ROWS, left() - 1));
		const spoken = text === undefined ? [] : this.spacing.before({ ...text, lines: newest });
		const commands = this.commands.live(moment.now, left() - spoken.length);
		const free = left() - spoken.length - commands.length;
		const children = childRows(view, { columns, room: Math.min(MOST_CHILDREN, free) });
		const plan = planRows(isAtWork(root) ? (root?.todo ?? []) : [], columns, free - children.length);
		return [...spoken, ...commands, ...children, ...plan, ...rows];
	}

	private append(spoken: readonly Spoken[]): Line[] {
		const lines = spoken.flatMap((one) => this.spacing.put(one));
		this.sinceCommand += lines.length;
		return lines;
	}

	private event(event: RunEvent, run: RunState, answer: string): Spoken[] {
		const isRetry = event.event === "turn_retrying" && event.agent === ROOT;
		const hadAppended = this.hasAppended;
		this.isVoid = isRetry;
		const changed = this.changed(this.transcript.event(event));
		if (isRetry) this.answerBegins();
		const notices = this.noticesOf(event, run, answer);
		const hasVoid = isRetry && hadAppended;
		return [...changed, ...notices, ...(hasVoid ? [this.notice(VOID, "warn")] : [])];
	}

	private noticesOf(event: RunEvent, run: RunState, answer: string): Spoken[] {
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
			return [{ kind: "child", lines: [childSummary(run, child, { answer, columns: this.columns() })] }];
		}
		return [{ kind: "notice", lines: noticeOf(event, this.columns()) }];
	}

	/** Undefined for an event that is a notice like others. */
	private ofRoot(event: RunEvent): Spoken[] | undefined {
		switch (event.event) {
			case "turn_failed":
			case "turn_cancelled":
				this.failedBecause = event.event === "turn_failed" ? event.reason : undefined;
				return undefined;
			case "agent_interrupted":
				this.interruption = event;
				return [];
			case "agent_listening": {
				const isShown = event.reason === this.failedBecause; // by the call that has failed
				const shown = [...(this.interruption === undefined ? [] : [this.interruption]), ...(isShown ? [] : [event])];
				this.interruption = undefined;
				this.failedBecause = undefined;
				return shown.map((one) => ({ kind: "notice", lines: noticeOf(one, this.columns()) }));
			}
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
		this.isVoid = entry.role === "assistant"; // what has streamed and is not recorded
		const isFirst = !this.hasBegun;
		this.hasBegun ||= entry.role === "user";
		const spoken = this.changed(this.transcript.entry(entry), isFirst);
		if (entry.role === "assistant") this.answerBegins();
		return spoken;
	}

	/** `isFirst`: no words of anybody were shown before. */
	private changed(changes: readonly TranscriptChange[], isFirst = false): Spoken[] {
		return changes.flatMap((change) => {
			if (change.is === "removed") return [];
			if (change.is !== "printed") {
				const { item, grownBy } = change;
				return item.is === "said" ? this.said(item, grownBy) : this.itemOf(item, change.is === "added", isFirst);
			}
			this.commands.printed(change.item, change.lines, change.skipped);
			return [];
		});
	}

	private itemOf(item: Exclude<TranscriptItem, SaidItem>, isAdded: boolean, isFirst: boolean): Spoken[] {
		switch (item.is) {
			case "turn":
				if (isAdded) this.answerBegins();
				return [];
			case "command": {
				const spoken = this.commands.take(item, this.sinceCommand <= 0);
				if (item.state === "running" && spoken.length > 0)
					this.sinceCommand = -spoken.reduce((sum, { lines }) => sum + lines.length, 1);
				return spoken;
			}
			case "message":
				return messageOf(item, { columns: this.columns(), isFirst });
			case "note":
				return this.note(item);
			case "notice":
				return []; // which events a person sees is decided for all of the run
		}
	}

	private said(item: SaidItem, grownBy: string | undefined): Spoken[] {
		if (item.state === "broken" && this.isVoid) return [];
		const spoken = this.answer.take(item, grownBy);
		this.hasAppended ||= spoken.length > 0;
		return spoken;
	}

	/** Events report calls that broke. What had come of one is only here, unless it was shown as it streamed. */
	private note(item: NoteItem): Spoken[] {
		const { note, text } = item;
		const columns = this.columns();
		if (note.note === "changed" && note.model === this.changedModel) return []; // its event has shown it
		if (note.note !== "call") return [this.notice(noteHead(item) ?? "", "dim")];
		return note.outcome === "retried" ? [] : [{ kind: "text", lines: rowsWithin(text, "dim", { columns }) }];
	}

	private answerBegins(): void {
		this.answer.forget();
		this.commands.forget();
		this.hasAppended = false;
	}

	private doing(view: RunView): Line[] {
		const text = rootDoes(view, this.commands.hasRunning);
		const isPaused = view.agent(ROOT)?.agent.paused !== undefined;
		return text === undefined ? [] : this.notice(text, isPaused ? "warn" : "dim").lines.slice(0, 1);
	}

	private notice(text: string, style: "dim" | "warn"): Spoken {
		return { kind: "notice", lines: rowsWithin(text, style, { columns: this.columns(), first: NOTICE_MARK }) };
	}
}

function lastOf<T>(list: readonly T[], count: number): readonly T[] {
	return count <= 0 ? [] : list.slice(-count);
}

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

export type FeedUpdate =
	/** An event of the run. `answer`: the last text of the agent that has ended. */
	| { readonly is: "event"; readonly event: RunEvent; readonly answer?: string | undefined }
	| { readonly is: "entry"; readonly entry: TranscriptEntry }
	/** So many lines of the transcript come before the first ones that are shown. */
	| { readonly is: "earlier"; readonly entries: number }
	/** Something may have happened unseen; of the root's commands only these still run. What comes of an answer comes again. */
	| { readonly is: "again"; readonly running: readonly number[] }
	| { readonly is: "delta"; readonly turn: number; readonly delta: ModelDelta }
	/** What a running command of the root has printed; before it so many bytes are left out. */
	| { readonly is: "printed"; readonly command: number; readonly lines: readonly string[]; readonly skipped: number };

export interface Moment {
	readonly now: number;
	readonly heldSince?: ReadonlyMap<AgentId, number> | undefined;
}

function viewAt(run: RunState, { now, heldSince = new Map() }: Moment): RunView {
	return new RunView({ run, now, activity: { ...NO_ACTIVITY, heldSince } });
}

/** `isInSight`: its commands are shown as they run. */
function rootDoes(view: RunView, isInSight: boolean): string | undefined {
	const root = view.agent(ROOT);
	if (root === undefined) return undefined;
	const { state, paused } = root.agent;
	const isShown = (state.is === "running" || state.is === "waiting") && isInSight;
	return paused === undefined && (isShown || !isAtWork(root.agent)) ? undefined : root.line;
}

export function isAtWork(root: Agent | undefined): boolean {
	return root !== undefined && root.state.is !== "ended" && root.state.is !== "listening";
}
