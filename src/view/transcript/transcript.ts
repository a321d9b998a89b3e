/**
 * The transcript of one agent as people read it: its events, the entries of its record and what is live go in as they come, and
 * changes of items come out. Only what is open is kept, so a transcript of days costs as much as one of minutes. Pure.
 */
import { type AgentId, parentOf } from "../../core/model/agent.ts";
import { INTERRUPTED_BY_PERSON, type Sender } from "../../core/model/message-marks.ts";
import { newestOfPerson } from "../../core/run/waiting-messages.ts";
import type { RunEvent } from "../../core/schemas/run-event.ts";
import type { NoteEntry, TranscriptEntry, UserEntry } from "../../core/schemas/transcript.ts";
import { oneLine } from "../../text/safe/terminal-safe.ts";
import { Changes, SettledItems } from "./changes.ts";
import { TranscriptCommands } from "./commands.ts";
import type { CommandItem, TranscriptChange, TranscriptItem } from "./items.ts";
import type { RecordItem } from "./merge.ts";
import { isForAllBelow, type Notice, noticeOf } from "./notices.ts";
import { type AnswerPiece, TranscriptTurns } from "./turns.ts";

/** Then a turn is shown of which nothing else is known: the messages that go with it are recorded by then. */
const SHOW_TURN_MS = 150;
const MOST_NOTICES = 200; // in one turn: a child may be refused again and again

interface WaitingMessage {
	readonly from: Sender;
	readonly key: string | undefined;
}

export class Transcript {
	private readonly agent: AgentId;
	/** Stands above the transcript, which does not say it again. */
	private readonly task: string | undefined;
	private readonly changes = new Changes();
	private readonly turns = new TranscriptTurns(this.changes);
	private readonly commands = new TranscriptCommands(this.changes);
	/** The messages that the agent has not got yet. */
	private waiting: WaitingMessage[] = [];
	/** What happened to agents above before this one began. */
	private beforeJoin: string[] = [];
	/** Since the newest turn began. */
	private notices = 0;
	/** False after the agent has ended. What it did before its first event is not known. */
	private isAlive = true;
	private entries = 0;
	private lastAt = 0;

	constructor(agent: AgentId, task?: string) {
		this.agent = agent;
		this.task = task;
	}

	/** A part of the record. */
	take(item: RecordItem): TranscriptChange[] {
		return item.is === "event" ? this.event(item.event) : this.entry(item.entry);
	}

	event(event: RunEvent): TranscriptChange[] {
		if (event.event === "run_resumed") this.close(this.lastAt); // a supervisor that was killed wrote no end
		if (event.event === "run_forked") this.waiting = []; // they wait in the first run alone
		if ("agent" in event && event.agent === this.agent) this.ofAgent(event);
		if ((event.event === "agent_joined" || event.event === "agent_resumed") && parentOf(event.agent) === this.agent)
			if (event.command !== undefined) this.commands.childStarted(event.agent, event.command);
		const notice = this.isAlive || !isForAllBelow(event) ? noticeOf(event, this.agent) : undefined;
		if (notice !== undefined) this.notice(event, notice);
		if (event.event === "turn_retrying") this.turns.takeEarly(); // below the notice
		this.lastAt = event.at;
		return this.changes.take();
	}

	/** `number`: of the entry in the transcript, where not all of them come in order. */
	entry(entry: TranscriptEntry, number = this.entries++): TranscriptChange[] {
		switch (entry.role) {
			case "user":
				for (const block of entry.content) {
					if (block.type !== "tool_result") continue;
					const record = entry.commands?.find(({ toolUseId }) => toolUseId === block.tool_use_id);
					this.commands.result(block, record, entry.at);
				}
				this.words(entry, number);
				break;
			case "assistant":
				this.commands.forgetOlder();
				this.turns.answered(entry, (call, formerKey) => this.commands.called(call, formerKey));
				break;
			case "note":
				this.note(entry, number);
		}
		return this.changes.take();
	}

	piece(piece: AnswerPiece): TranscriptChange[] {
		this.turns.piece(piece);
		return this.changes.take();
	}

	/** A running command has printed; before the lines so many bytes are left out. */
	printed(command: number, lines: readonly string[], skipped: number): TranscriptChange[] {
		this.commands.printed(command, lines, skipped);
		return this.changes.take();
	}

	/** Events may have been missed, pieces of the answer come again from its beginning; of the commands only these still run. */
	again(running: readonly number[]): TranscriptChange[] {
		this.commands.keep(running);
		this.turns.replay();
		return this.changes.take();
	}

	/** Call it now and then while the agent lives. */
	tick(now: number): TranscriptChange[] {
		const since = this.turns.openSince;
		if (since !== undefined && now >= since + SHOW_TURN_MS) this.turns.place();
		return this.changes.take();
	}

	/** All that is recorded was given: what is open is shown as it stands. */
	standing(): TranscriptChange[] {
		if (this.turns.isOpen) this.turns.place();
		this.tellMore(this.lastAt);
		return this.changes.take();
	}

	/** The agent has ended, and nothing more will come. */
	ended(at: number): TranscriptChange[] {
		this.close(at);
		return this.changes.take();
	}

	/** So many calls were made for the turn before its newest one. */
	triesOf(turn: number): number {
		return this.turns.number === turn ? this.turns.tries : 0;
	}

	/** The commands without results. */
	get openCommands(): readonly CommandItem[] {
		return this.commands.open;
	}

	private ofAgent(event: RunEvent): void {
		const { commands, turns } = this;
		switch (event.event) {
			case "agent_joined":
			case "agent_resumed":
				if (event.event === "agent_joined") for (const key of this.beforeJoin.splice(0)) turns.withoutNotice(key);
				this.isAlive = true;
				return turns.queued(event.at);
			case "turn_queued":
				return turns.queued(event.at);
			case "agent_ended":
				return this.close(event.at);
			case "turn_started":
				this.tellMore(event.at);
				return event.purpose === undefined ? turns.begin(event.turn, event.at) : turns.summarizes();
			case "turn_retrying":
				return turns.retried(event);
			case "turn_ended":
			case "turn_failed":
				return event.purpose === undefined ? this.turnEnded(event) : undefined;
			case "turn_cancelled":
				return turns.ended(event);
			case "command_started":
				return commands.started(event);
			case "command_ended":
				return commands.ended(event);
			case "message_delivered":
				for (const { key } of this.waiting.splice(0, event.messages)) if (key !== undefined) turns.withoutNotice(key); // the message itself is in the transcript
				return;
			case "message_withdrawn": {
				const newest = newestOfPerson(this.waiting);
				if (newest >= 0) this.waiting.splice(newest, 1);
			}
		}
	}

	private turnEnded(event: Extract<RunEvent, { event: "turn_ended" | "turn_failed" }>): void {
		this.turns.ended(event);
		if (event.event === "turn_ended") return;
		this.addNotice(event, { text: `turn ${event.turn} failed: ${oneLine(event.reason)}`, isTrouble: true });
	}

	private notice(event: RunEvent, notice: Notice): void {
		const isShown = notice.isPassing || ++this.notices <= MOST_NOTICES;
		const key = isShown ? this.addNotice(event, notice) : undefined;
		if (event.event === "message_sent") this.waiting.push({ from: event.from, key });
		if (key !== undefined && isForAllBelow(event) && event.agent !== this.agent) this.beforeJoin.push(key);
	}

	private addNotice({ at, event }: RunEvent, { text, isTrouble, isPassing = false }: Notice): string {
		const key = `notice:${at}`;
		this.turns.notice({ is: "notice", key, at, text, isTrouble, isPassing, isRetry: event === "turn_retrying" });
		return key;
	}

	/** Says how many notices were left out. */
	private tellMore(at: number): void {
		const more = this.notices - MOST_NOTICES;
		this.notices = 0;
		if (more <= 0) return;
		const text = `${more} more events: see the event log`;
		const facts = { isTrouble: false, isPassing: false, isRetry: false };
		this.changes.added({ is: "notice", key: `notice:${at}.more`, at, text, ...facts });
	}

	private words({ content, at, from }: UserEntry, number: number): void {
		const texts = content.flatMap((block) => (block.type === "text" ? [block.text] : []));
		const { task } = this; // without one the transcript has all words
		const isSaidElsewhere = (text: string) =>
			task !== undefined && (text.trim() === task.trim() || text === INTERRUPTED_BY_PERSON);
		const said = texts.filter((text) => from !== undefined || !isSaidElsewhere(text));
		if (said.length > 0) this.turns.letGo();
		for (const [index, text] of said.entries()) {
			this.changes.added({ is: "message", key: `message:${number}.${index}`, at, text, from });
		}
	}

	private note(note: NoteEntry, number: number): void {
		if (note.note === "resumed") this.commands.close(note.at);
		const isOfTurn = note.note === "call" && note.outcome !== "compaction" && this.turns.tells(note.turn);
		const hasBroken = isOfTurn && (note.outcome === "failed" || note.outcome === "cancelled");
		if (isOfTurn && this.turns.isOpen) this.turns.place();
		if (hasBroken) this.turns.breakOff();
		const isKnown = note.note === "call" && note.turn === this.turns.number && this.turns.hasStreamed;
		const text = isKnown ? "" : textBelow(note);
		this.changes.added({ is: "note", key: `note:${number}`, note, isOfTurn, text });
	}

	private close(at: number): void {
		this.turns.close(at);
		this.commands.close(at);
		this.turns.letGo();
		this.tellMore(at);
		this.isAlive = false;
	}
}

/** All items of a record that is read to its end. `endedAt`: when the agent ended, if it has. */
export function* settledItems(
	transcript: Transcript,
	record: Iterable<RecordItem>,
	endedAt: number | undefined,
): Generator<TranscriptItem> {
	const settled = new SettledItems();
	for (const part of record) yield* settled.take(transcript.take(part));
	yield* settled.take(endedAt === undefined ? transcript.standing() : transcript.ended(endedAt));
	yield* settled.rest();
}

function textBelow(note: NoteEntry): string {
	if (note.note === "compaction") return note.summary;
	return note.note === "call" && note.outcome !== "compaction" ? (note.partial ?? "") : "";
}
