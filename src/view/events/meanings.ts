/** The meaning of each kind of event: a new kind is one row in one of these tables. */

import { type AgentId, isWithin } from "../../core/model/agent.ts";
import type { RunEvent } from "../../core/schemas/run-event.ts";
import { AGENT_MEANINGS, TURN_MEANINGS } from "./agent-meanings.ts";
import type { EventFacts } from "./event-facts.ts";
import type { Meaning, Meanings } from "./meaning.ts";
import { QUESTION_MEANINGS } from "./question-meanings.ts";
import { FILES_MEANINGS, RUN_MEANINGS } from "./run-meanings.ts";

const MEANINGS: Meanings<RunEvent["event"]> = {
	...RUN_MEANINGS,
	...AGENT_MEANINGS,
	...TURN_MEANINGS,
	...QUESTION_MEANINGS,
	...FILES_MEANINGS,
};

const known = new WeakMap<RunEvent, Meaning>();

/** `facts`: what only the events before tell. Without them it is made once for an event. */
export function meaningOf(event: RunEvent, facts?: EventFacts): Meaning {
	const before = facts === undefined ? known.get(event) : undefined;
	if (before !== undefined) return before;
	const meaning = (MEANINGS[event.event] as (event: RunEvent, facts: EventFacts) => Meaning)(event, facts ?? {});
	if (facts === undefined) known.set(event, meaning);
	return meaning;
}

/** What somebody is told who hears news only. */
export function newsText({ brief, text }: Meaning): string {
	return brief ?? text;
}

/** The agent that the event happened to; undefined for an event of the whole run. */
export function subjectOf(event: RunEvent): AgentId | undefined {
	if (event.event === "child_refused") return event.parent ?? undefined;
	return "agent" in event ? event.agent : undefined;
}

/** False for events of the whole run and of agents elsewhere. */
export function isAbout(event: RunEvent, root: AgentId): boolean {
	const subject = subjectOf(event);
	return subject !== undefined && isWithin(subject, root);
}
