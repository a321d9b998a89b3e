/**
 * The event log and the transcript of an agent, read in step as they grow. The supervisor writes both, each whole line at once:
 * so when the transcript is read after the log, it has all messages that came before the events, and the other way round.
 */
import type { AgentId } from "../../../core/model/agent.ts";
import type { TranscriptEntry } from "../../../core/model/transcript.ts";
import type { RunEvent } from "../../../core/run/run-event.ts";
import { linesFrom, readLinesFrom } from "../../../record/files/follow-lines.ts";
import { parseEntry, parseEvent } from "../../../record/read-events.ts";
import { eventsPath, transcriptPath } from "../../../record/run-directory.ts";

export type RecordItem =
	| { readonly is: "event"; readonly at: number; readonly event: RunEvent }
	| { readonly is: "entry"; readonly at: number; readonly entry: TranscriptEntry };

export interface AgentRecordOf {
	/** The run's directory. */
	readonly directory: string;
	readonly agent: AgentId;
	/** Gets each event when it is read, which is before it is given. */
	readonly onEvent: (event: RunEvent) => void;
	readonly damaged: (what: string) => void;
}

export class AgentRecord {
	private readonly of: AgentRecordOf;
	private readonly events: string;
	private readonly transcript: string;
	private eventsAt = 0;
	private entriesAt = 0;
	/** Events that may have come after messages that are not read yet. */
	private held: RunEvent[] = [];

	constructor(of: AgentRecordOf) {
		this.of = of;
		this.events = eventsPath(of.directory);
		this.transcript = transcriptPath(of.directory, of.agent);
	}

	/** The messages so far, piece by piece, so that memory holds few of them; `onEvent` has had the events before them. */
	*recorded(): Generator<TranscriptEntry[]> {
		this.readEvents();
		const pieces = linesFrom(this.transcript, this.entriesAt);
		for (let next = pieces.next(); ; next = pieces.next()) {
			if (next.done !== true) yield this.asEntries(next.value);
			else this.entriesAt = next.value;
			if (next.done === true) return;
		}
	}

	/** What is new, in the order of its times. */
	next(): RecordItem[] {
		const first = [...this.held, ...this.readEvents()];
		const entries = this.readEntries();
		const second = entries.length === 0 ? [] : this.readEvents();
		const lastAt = entries.at(-1)?.at ?? 0;
		const end = second.findIndex(({ at }) => at > lastAt);
		this.held = end < 0 ? [] : second.slice(end);
		return inOrder([...first, ...(end < 0 ? second : second.slice(0, end))], entries);
	}

	/** There is more that `next` can give at once. */
	get isBehind(): boolean {
		return this.held.length > 0;
	}

	private readEvents(): RunEvent[] {
		const events: RunEvent[] = [];
		this.eventsAt = readLinesFrom(this.events, this.eventsAt, (lines) => {
			events.push(...lines.flatMap((line) => parseEvent(line) ?? [])); // who loads the run's state says what is damaged
		});
		for (const event of events) this.of.onEvent(event);
		return events;
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
			if (entry === undefined) this.of.damaged("transcript.jsonl: a line that is not a message, skipped");
			return entry ?? [];
		});
	}
}

/** Each of both keeps its own order, also when the system's time was set back. Of equal times events come first. */
function inOrder(events: readonly RunEvent[], entries: readonly TranscriptEntry[]): RecordItem[] {
	const items: RecordItem[] = [];
	let told = 0;
	for (const event of events) {
		for (let entry = entries[told]; entry !== undefined && entry.at < event.at; entry = entries[++told])
			items.push({ is: "entry", at: entry.at, entry });
		items.push({ is: "event", at: event.at, event });
	}
	return [...items, ...entries.slice(told).map((entry) => ({ is: "entry", at: entry.at, entry }) as const)];
}
