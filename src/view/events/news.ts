/** The newest events of a run, and those among them that a person wants to hear of. Pure. */

import type { AgentId } from "../../core/model/agent.ts";
import type { RunEvent } from "../../core/schemas/run-event.ts";
import { oneLine } from "../../text/safe/terminal-safe.ts";
import type { Tone } from "../agents/doing-now.ts";
import { meaningOf, newsText, subjectOf } from "./meanings.ts";

/** Among so many of the newest it is looked for what is notable: a run may do one thing without end. */
const MOST_LOOKED_AT = 4_000;

/** So many are kept: `agent log` tells of the others. */
export const MOST_EVENTS = 20_000;

/** The newest of both, in order. */
export function newestOf(events: readonly RunEvent[], added: readonly RunEvent[]): readonly RunEvent[] {
	if (added.length >= MOST_EVENTS) return added.slice(-MOST_EVENTS);
	return [...events.slice(Math.max(0, events.length + added.length - MOST_EVENTS)), ...added];
}

export interface NotableEvent {
	/** Milliseconds since the epoch. */
	readonly at: number;
	/** Absent: the event is one of the whole run. */
	readonly agent?: AgentId;
	/** A few words, safe for a terminal: `FAILED: no such file`. */
	readonly text: string;
	readonly tone: Tone;
}

/**
 * Up to `count` events, the newest first: failures, retries, refusals, shortages, limits, messages, pauses, stops, and the
 * ends of the run and of its big parts. Of what many agents say at once only the newest is told.
 */
export function notableEvents(events: readonly RunEvent[], count: number): readonly NotableEvent[] {
	const known = found.get(events);
	if (known?.count === count) return known.notable;
	const notable = notableAmong(events, count);
	found.set(events, { count, notable });
	return notable;
}

/** Each frame asks, and few have new events. */
const found = new WeakMap<readonly RunEvent[], { count: number; notable: readonly NotableEvent[] }>();

function notableAmong(events: readonly RunEvent[], count: number): NotableEvent[] {
	const notable: NotableEvent[] = [];
	const told = new Set<string>();
	for (const event of events.slice(-MOST_LOOKED_AT).reverse()) {
		if (notable.length >= count) break;
		if (!isNotable(event)) continue;
		const meaning = meaningOf(event);
		const text = newsText(meaning);
		const kind = event.event === "turn_retrying" ? event.event : text;
		if (told.has(kind)) continue;
		told.add(kind);
		const agent = subjectOf(event);
		const { tone = "plain" } = meaning;
		notable.push({ at: event.at, ...(agent !== undefined && { agent }), text: oneLine(text), tone });
	}
	return notable;
}

/** False for an event of the usual course of a run. */
export function isNotable(event: RunEvent): boolean {
	const { news } = meaningOf(event);
	return news === "run" || news === "person";
}
