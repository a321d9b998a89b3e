/** The events of the run as its event log has them, also of a run that is over: read in pieces, so that keys stay quick. */
import { AgentreeError } from "../../core/errors.ts";
import type { RunEvent } from "../../core/schemas/run-event.ts";
import { followInPieces } from "../../record/files/follow-lines.ts";
import { tailStart } from "../../record/files/json-lines.ts";
import { parseEvent } from "../../record/read-events.ts";
import { eventsPath } from "../../record/run-directory.ts";
import type { RecordedRun } from "../../record/run-source.ts";
import { MOST_EVENTS, newestOf } from "../../view/events/news.ts";
import { type PhaseChange, PhaseReader } from "../../view/timeline/phases.ts";
import type { EventsInput } from "./update.ts";

const MOST_BYTES = 64 * 1024 * 1024; // `agent log` tells the rest of a longer one

export interface RunEventsListener {
	/** What is in the log at the beginning comes at once; that of a very long one in several parts, the oldest first. */
	onInput(input: EventsInput): void;
	onError(error: unknown): void;
}

/** Lines that cannot be read are left out. Returns what ends the reading. */
export function followRunEvents(
	{ directory }: Pick<RecordedRun, "directory">,
	{ onInput, onError }: RunEventsListener,
): () => void {
	const stopping = new AbortController();
	const reader = new EventsReader();
	const onEnd = () => {
		const input = reader.input();
		if (input !== undefined) onInput(input);
	};
	const onLines = (lines: readonly string[]) => {
		reader.take(lines);
		if (reader.isFull) onEnd();
	};
	const path = eventsPath(directory);
	const start = async () =>
		followInPieces(path, { onLines, onEnd }, { signal: stopping.signal, from: tailStart(path, MOST_BYTES) });
	start().catch((error) => {
		if (error instanceof AgentreeError) onInput({ is: "events_unreadable", why: error.message });
		else onError(error);
	});
	return () => stopping.abort();
}

class EventsReader {
	private readonly phases = new PhaseReader();
	private events: readonly RunEvent[] = [];
	private changes: PhaseChange[] = [];

	/** More would take the place of what was taken. */
	get isFull(): boolean {
		return this.events.length >= MOST_EVENTS;
	}

	take(lines: readonly string[]): void {
		const added = lines.flatMap((line) => parseEvent(line) ?? []);
		for (const event of added) this.changes.push(...this.phases.note(event));
		this.events = newestOf(this.events, added);
	}

	/** What was taken since the last call; undefined when that is nothing. */
	input(): EventsInput | undefined {
		const { events, changes } = this;
		this.events = [];
		this.changes = [];
		return events.length === 0 ? undefined : { is: "events", events, changes };
	}
}
