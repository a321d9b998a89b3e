/**
 * Events and entries of one agent in the order of reading. Both come in their own order, and keep it also where the system's time
 * was set back. Pure.
 */

import type { RunEvent } from "../../core/schemas/run-event.ts";
import type { TranscriptEntry } from "../../core/schemas/transcript.ts";

export type RecordItem =
	| { readonly is: "event"; readonly event: RunEvent }
	| { readonly is: "entry"; readonly entry: TranscriptEntry };

export class RecordMerge {
	private events: RunEvent[] = [];
	private next = 0;

	/** Events that come after those of before. */
	addEvents(events: readonly RunEvent[]): void {
		for (const event of events) this.events.push(event);
	}

	/** The events that go before the entry, and the entry. */
	*upTo(entry: TranscriptEntry): Generator<RecordItem> {
		for (; this.next < this.events.length; this.next++) {
			const event = this.events[this.next] as RunEvent;
			if (!isBefore(event, entry)) break;
			yield { is: "event", event };
		}
		yield { is: "entry", entry };
	}

	/** The other events. */
	*rest(): Generator<RecordItem> {
		const events = this.events.slice(this.next);
		this.events = [];
		this.next = 0;
		for (const event of events) yield { is: "event", event };
	}
}

/** All of a record that is read. */
export function* inOrder(events: readonly RunEvent[], entries: Iterable<TranscriptEntry>): Generator<RecordItem> {
	const merge = new RecordMerge();
	merge.addEvents(events);
	for (const entry of entries) yield* merge.upTo(entry);
	yield* merge.rest();
}

/** Of one time come, in this order, the ends of commands, their results, the next turn, its answer, and the commands of that. */
function isBefore(event: RunEvent, entry: TranscriptEntry): boolean {
	if (event.at !== entry.at) return event.at < entry.at;
	switch (entry.role) {
		case "user":
			return event.event !== "turn_started";
		case "assistant":
			return event.event !== "command_started" && !("turn" in event && event.turn > entry.turn);
		case "note":
			return true;
	}
}
