/**
 * The event log and the transcript of an agent, read in step as they grow. The supervisor writes both, each whole line at once:
 * so when the transcript is read after the log, it has all messages that came before the events, and the other way round.
 */
import type { AgentId } from "../../core/model/agent.ts";
import type { RunState } from "../../core/run/run-state.ts";
import type { RunEvent } from "../../core/schemas/run-event.ts";
import type { TranscriptEntry } from "../../core/schemas/transcript.ts";
import { linesFrom, readLinesFrom } from "../../record/files/follow-lines.ts";
import { EventIndex, parseEntry } from "../../record/read-events.ts";
import { orUndefined } from "../../record/read-run.ts";
import { transcriptPath } from "../../record/run-directory.ts";
import type { ToWatcher } from "../../wire/watcher-messages.ts";
import { type RecordItem, RecordMerge } from "../transcript/merge.ts";
import type { AnswerPiece } from "../transcript/turns.ts";

const PIECE_BYTES = 8 * 1024 * 1024;

export interface AgentRecordOf {
	/** The run's directory. */
	readonly directory: string;
	readonly agent: AgentId;
	readonly damaged: (what: string) => void;
	/** Of the run's event log. */
	readonly index?: EventIndex;
	/** Where the first entry begins that is wanted. */
	readonly from?: number;
}

export class AgentRecord {
	private readonly agent: AgentId;
	private readonly damaged: (what: string) => void;
	private readonly index: EventIndex;
	private readonly transcript: string;
	private readonly merge = new RecordMerge();
	private eventsAt = 0;
	private entriesAt: number;
	/** Events that may have come after messages that are not read yet. */
	private held: RunEvent[] = [];

	constructor({ directory, agent, damaged, index = new EventIndex(directory), from = 0 }: AgentRecordOf) {
		this.agent = agent;
		this.damaged = damaged;
		this.index = index;
		this.transcript = transcriptPath(directory, agent);
		this.entriesAt = from;
	}

	/** All so far, piece by piece, so that memory holds few messages. */
	*recorded(): Generator<RecordItem[]> {
		this.merge.addEvents(this.readEvents());
		const pieces = linesFrom(this.transcript, this.entriesAt);
		for (let next = pieces.next(); ; next = pieces.next()) {
			if (next.done === true) {
				this.entriesAt = next.value;
				return yield [...this.merge.rest()];
			}
			yield this.asEntries(next.value).flatMap((entry) => [...this.merge.upTo(entry)]);
		}
	}

	/** What is new, in the order of its times. */
	next(): RecordItem[] {
		this.merge.addEvents([...this.held, ...this.readEvents()]);
		const entries = this.readEntries();
		const later = entries.length === 0 ? [] : this.readEvents();
		const lastAt = entries.at(-1)?.at ?? 0;
		const end = later.findIndex(({ at }) => at > lastAt);
		this.held = end < 0 ? [] : later.slice(end);
		this.merge.addEvents(end < 0 ? later : later.slice(0, end));
		return [...entries.flatMap((entry) => [...this.merge.upTo(entry)]), ...this.merge.rest()];
	}

	/** There is more that `next` can give at once. */
	get isBehind(): boolean {
		return this.held.length > 0;
	}

	/** Of other agents only what this one's transcript needs. Who loads the run's state says what is damaged. */
	private readEvents(): RunEvent[] {
		const after = this.eventsAt;
		const read = () => {
			while (!this.index.readOn(PIECE_BYTES));
			this.eventsAt = this.index.readBytes;
			return this.index.eventsOf(this.agent, after);
		};
		return orUndefined(read) ?? [];
	}

	private readEntries(): TranscriptEntry[] {
		const entries: TranscriptEntry[] = [];
		this.entriesAt = readLinesFrom(this.transcript, this.entriesAt, (lines) => {
			entries.push(...this.asEntries(lines));
		});
		return entries;
	}

	private asEntries(lines: readonly string[]): TranscriptEntry[] {
		return lines.flatMap((line) => {
			const entry = parseEntry(line);
			if (entry === undefined) this.damaged("transcript.jsonl: skipped a line that is not a message");
			return entry ?? [];
		});
	}
}

/** The pieces of the agent's answers as a supervisor tells them, each with the call that it belongs to. */
export class AnswerPieces {
	private readonly agent: AgentId;
	private attempt: number;

	constructor(agent: AgentId, run?: RunState) {
		this.agent = agent;
		this.attempt = run === undefined ? 0 : attemptIn(run, agent);
	}

	/** Needs all messages of the supervisor, in order. */
	hear(message: ToWatcher): AnswerPiece | undefined {
		const { agent } = this;
		if (message.say === "snapshot") this.attempt = attemptIn(message.state, agent);
		if (message.say === "event") this.attempt = attemptAfter(message.event, agent) ?? this.attempt;
		if (message.say !== "delta" || message.agent !== agent) return undefined;
		return { turn: message.turn, attempt: this.attempt, delta: message.delta };
	}
}

function attemptIn({ agents }: RunState, agent: AgentId): number {
	const state = agents[agent]?.state;
	return state?.is === "thinking" ? (state.retry?.attempt ?? 0) : 0;
}

/** The attempt of the agent's call after the event; undefined when it says nothing about that. */
function attemptAfter(event: RunEvent, agent: AgentId): number | undefined {
	if (event.event === "turn_started" && event.agent === agent) return 0;
	return event.event === "turn_retrying" && event.agent === agent ? event.attempt : undefined;
}
