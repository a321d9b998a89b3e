/** The events of the run as its event log has them, also of a run that is over: read in pieces, so that keys stay quick. */
import { AgentreeError } from "../core/errors.ts";
import type { RunEvent } from "../core/run-event.ts";
import { tailStart } from "../store/file-tail.ts";
import { followInPieces } from "../store/follow-in-pieces.ts";
import { parseEvent } from "../store/read-events.ts";
import { eventsPath } from "../store/run-directory.ts";
import { newestOf } from "./scene/run-events.ts";

const MOST_BYTES = 64 * 1024 * 1024; // `agent log` tells the rest of a longer one

export interface RunEventsListener {
	/** New ones, in order. What was there at the beginning comes at once. */
	onEvents(events: readonly RunEvent[]): void;
	onError(error: unknown): void;
}

/** Lines that cannot be read are left out. Returns what ends the reading. */
export function followRunEvents(runDirectory: string, listener: RunEventsListener): () => void {
	const stopping = new AbortController();
	const path = eventsPath(runDirectory);
	let read: readonly RunEvent[] = [];
	const pieces = {
		onLines: (lines: readonly string[]) => {
			read = newestOf(
				read,
				lines.flatMap((line) => parseEvent(line) ?? []),
			);
		},
		onEnd: () => {
			if (read.length > 0) listener.onEvents(read);
			read = [];
		},
	};
	const start = async () =>
		followInPieces(path, pieces, { signal: stopping.signal, from: tailStart(path, MOST_BYTES) });
	start().catch((error) => {
		if (!(error instanceof AgentreeError)) listener.onError(error); // a log that cannot be read is no reason to close
	});
	return () => stopping.abort();
}
