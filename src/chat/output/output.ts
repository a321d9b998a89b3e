/**
 * What a conversation shows: of all that it is told lines that are appended for good, and rows that are live until then. It keeps
 * nothing of what was appended, so a conversation of days costs as much as one of minutes. Pure.
 */
import { parentOf, ROOT } from "../../core/agent.ts";
import type { RunEvent } from "../../core/run-event.ts";
import type { RunState } from "../../core/run-state.ts";
import type { AssistantEntry, NoteEntry, TranscriptEntry } from "../../core/transcript.ts";
import { describeNote } from "../../text/notes.ts";
import { describeState } from "../../text/states.ts";
import type { ShownLine } from "../../text/styled-line.ts";
import { childRows, childSummary } from "./children.ts";
import { Commands } from "./commands.ts";
import { messagesIn, waitingRows } from "./messages.ts";
import { noticeOf } from "./notices.ts";
import { rowsWithin, shownLine } from "./shown-lines.ts";
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
	private answer: StreamedAnswer;
	/** Of the turn under way something was appended. */
	private hasAppended = false;
	/** The newest turn whose answer is recorded, or that is over without one. */
	private lastTurn = 0;
	/** Appended since the newest command began. */
	private sinceCommand = 0;
	private isThinkingShown = false;

	constructor({ columns }: OutputOptions) {
		this.columns = columns;
		this.commands = new Commands(columns);
		this.answer = this.newAnswer();
	}

	/** `run`: as it is after what is told. */
	tell(told: Told, run: RunState): ShownLine[] {
		switch (told.is) {
			case "event":
				return this.append(this.event(told.event, run, told.answer ?? ""));
			case "entry":
				return this.append(this.entry(told.entry));
			case "delta": {
				if (told.turn <= this.lastTurn) return [];
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
	say(text: string, style: "plain" | "dim" | "warn" | "bad" = "plain"): ShownLine[] {
		return this.append([{ kind: "notice", lines: rowsWithin(text, style, { columns: this.columns() }) }]);
	}

	/** Whether all that is thought is shown, from the next thought on. */
	showThinking(isShown: boolean): void {
		this.isThinkingShown = isShown;
	}

	/** At most `room` rows of what goes on. */
	live(run: RunState, now: number, room: number): ShownLine[] {
		const columns = this.columns();
		const root = run.agents[ROOT];
		const waiting = waitingRows(root?.messages ?? [], columns, room);
		const doing = this.doing(run, now).slice(0, Math.max(0, room - waiting.length));
		const left = () => room - rows.length - doing.length - waiting.length;
		const rows: ShownLine[] = [];
		const spoken = this.answer.live();
		if (spoken !== undefined)
			rows.push(
				...this.spacing.before({
					...spoken,
					lines: spoken.lines.slice(-Math.min(MOST_TEXT_ROWS, Math.max(0, left() - 1))),
				}),
			);
		rows.push(...this.commands.live(now, left()));
		rows.push(...childRows(run, now, { columns, room: Math.min(MOST_CHILDREN, left()) }));
		return [...rows, ...doing, ...waiting];
	}

	private append(spoken: readonly Spoken[]): ShownLine[] {
		const lines = spoken.flatMap((one) => this.spacing.put(one));
		this.sinceCommand += lines.length;
		return lines;
	}

	private event(event: RunEvent, run: RunState, answer: string): Spoken[] {
		if ("agent" in event && event.agent === ROOT) {
			const spoken = this.ofRoot(event);
			if (spoken !== undefined) return spoken;
		}
		if (event.event === "agent_ended" && parentOf(event.agent) === ROOT) {
			const child = run.agents[event.agent];
			return child === undefined ? [] : [{ kind: "child", lines: [childSummary(run, child, answer, this.columns())] }];
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
				return [{ kind: "notice", lines: isVoid ? [...lines, shownLine(`· ${VOID}`, "warn")] : lines }];
			}
			case "turn_failed":
			case "turn_cancelled": {
				const rest = this.answer.flush();
				this.begin();
				return [...rest, { kind: "notice", lines: noticeOf(event, this.columns()) }];
			}
			case "command_started": {
				const started = this.commands.started(event);
				this.sinceCommand = -started.reduce((sum, { lines }) => sum + lines.length, 1);
				return started;
			}
			case "command_ended":
				return this.commands.ended(event, this.sinceCommand <= 0);
			default:
				return undefined;
		}
	}

	private entry(entry: TranscriptEntry): Spoken[] {
		switch (entry.role) {
			case "user":
				return [...this.commands.results(entry), ...messagesIn(entry, this.columns())];
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

	private note(note: NoteEntry): Spoken[] {
		if (note.note !== "resumed") return []; // events tell of calls and compactions
		return [{ kind: "notice", lines: rowsWithin(describeNote(note), "dim", { columns: this.columns(), first: "· " }) }];
	}

	private begin(): void {
		this.answer = this.newAnswer();
		this.hasAppended = false;
	}

	private newAnswer(): StreamedAnswer {
		return new StreamedAnswer({ columns: this.columns, isThinkingShown: () => this.isThinkingShown });
	}

	/** What the root does, where nothing else shows it. */
	private doing(run: RunState, now: number): ShownLine[] {
		const root = run.agents[ROOT];
		if (root === undefined || run.ended !== undefined) return [];
		const { is } = root.state;
		const isShown = is === "ended" || (is as string) === "listening" || (is === "running" && this.commands.hasRunning);
		if (isShown && root.paused === undefined) return [];
		return rowsWithin(describeState(root, now), "dim", { columns: this.columns(), first: "· " }).slice(0, 1);
	}
}
