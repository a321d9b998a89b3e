/** Where a person reads in the list of a run's events. Pure. */

import type { AgentId } from "../../../core/model/agent.ts";
import type { RunEvent } from "../../../core/schemas/run-event.ts";
import { type EventFacts, EventFactsBuilder } from "../../../view/events/event-facts.ts";
import { isAbout } from "../../../view/events/meanings.ts";
import { isNotable } from "../../../view/events/news.ts";

export interface EventList {
	/** `end`: the newest event, whatever comes. `at`: an event, and the row of the pane in which it stays. */
	readonly place: { readonly is: "end" } | { readonly is: "at"; readonly event: RunEvent; readonly row: number };
	/** Only events of the selected agent and of those below it. */
	readonly isOfBranch: boolean;
	readonly isOfNotable: boolean;
}

export const FIRST_EVENT_LIST: EventList = { place: { is: "end" }, isOfBranch: false, isOfNotable: false };

interface Listed {
	readonly events: readonly RunEvent[];
	readonly list: Pick<EventList, "isOfBranch" | "isOfNotable">;
	readonly selected: AgentId;
	readonly listed: readonly RunEvent[];
}

let newest: Listed | undefined;

/** `selected`: the agent that is selected. The newest answer is kept, since a frame asks several times. */
export function listedEvents(events: readonly RunEvent[], list: EventList, selected: AgentId): readonly RunEvent[] {
	const { isOfBranch, isOfNotable } = list;
	if (!isOfBranch && !isOfNotable) return events;
	const isSame = newest?.events === events && newest.selected === selected;
	if (isSame && newest?.list.isOfBranch === isOfBranch && newest.list.isOfNotable === isOfNotable) return newest.listed;
	const listed = events.filter(
		(event) => (!isOfBranch || isAbout(event, selected)) && (!isOfNotable || isNotable(event)),
	);
	newest = { events, list, selected, listed };
	return listed;
}

export interface EventWindow {
	/** The index of the first event in the pane. */
	readonly first: number;
	/** The index of the event that the person is at; -1 when there is none. */
	readonly at: number;
}

/** An event that is not in the list is held by the one before it. */
export function eventWindow(listed: readonly RunEvent[], { place }: EventList, rows: number): EventWindow {
	const last = listed.length - 1;
	const lowest = Math.max(0, listed.length - rows);
	if (place.is === "end") return { first: lowest, at: last };
	const known = listed.lastIndexOf(place.event);
	const at =
		known >= 0
			? known
			: Math.max(
					0,
					listed.findLastIndex((event) => event.at <= place.event.at),
				);
	return { first: Math.max(0, Math.min(at - Math.min(place.row, rows - 1), lowest)), at: Math.min(at, last) };
}

/** At the event of that index, the pane moved no more than it has to be; at the last one it stays with what comes. */
export function movedTo(listed: readonly RunEvent[], list: EventList, to: { index: number; rows: number }): EventList {
	const index = Math.max(0, Math.min(to.index, listed.length - 1));
	const event = listed[index];
	if (event === undefined || index === listed.length - 1) return { ...list, place: { is: "end" } };
	const { first } = eventWindow(listed, list, to.rows);
	const row = Math.max(0, Math.min(index - first, to.rows - 1));
	return { ...list, place: { is: "at", event, row } };
}

const known = new WeakMap<readonly RunEvent[], ReadonlyMap<RunEvent, EventFacts>>();

/** How long what ends with an event took, and the like. Made once for the same events. */
export function eventFacts(events: readonly RunEvent[]): ReadonlyMap<RunEvent, EventFacts> {
	const before = known.get(events);
	if (before !== undefined) return before;
	const builder = new EventFactsBuilder();
	const facts = new Map(events.map((event) => [event, builder.note(event)]));
	known.set(events, facts);
	return facts;
}
