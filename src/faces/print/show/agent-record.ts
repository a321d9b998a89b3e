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
import { type RecordItem, RecordMerge } from "../../../view/transcript/merge.ts";
import { concerns } from "../../../view/transcript/notices.ts";

export class AgentRecord {
	private readonly agent: AgentId;
	private readonly damaged: (what: string) => void;
	private readonly events: string;
	private readonly transcript: string;
	private readonly merge = new RecordMerge();
	private eventsAt = 0;
	private entriesAt = 0;
	/** Events that may have come after messages that are not read yet. */
	private held: RunEvent[] = [];

	/** `directory`: the run's. */
	constructor(directory: string, agent: AgentId, damaged: (what: string) => void) {
		this.agent = agent;
		this.damaged = damaged;
		this.events = eventsPath(directory);
		this.transcript = transcriptPath(directory, agent);
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

	/** Of other agents only what this one's transcript needs. */
	private readEvents(): RunEvent[] {
		const events: RunEvent[] = [];
		this.eventsAt = readLinesFrom(this.events, this.eventsAt, (lines) => {
			const read = lines.flatMap((line) => parseEvent(line) ?? []); // who loads the run's state says what is damaged
			events.push(...read.filter((event) => concerns(event, this.agent)));
		});
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
			if (entry === undefined) this.damaged("transcript.jsonl: skipped a line that is not a message");
			return entry ?? [];
		});
	}
}
