/** What an event of a run means to people. */
import type { RunEvent } from "../../core/schemas/run-event.ts";
import type { EventFacts } from "./event-facts.ts";

export interface Meaning {
	/** A sentence whose subject is the agent, or the run: `ended after 12s: answer`. What agents wrote in it is not made safe. */
	readonly text: string;
	/** `bad`: something has failed. `warn`: a person may have to look. */
	readonly tone?: "bad" | "warn" | "good" | undefined;
	/** Who is told beside those who read the whole log; absent: nobody. */
	readonly news?: News | undefined;
	/** What they are told, where that is not the sentence. */
	readonly brief?: string | undefined;
	/** The transcript of the agent shows it between its messages, since no message tells it. */
	readonly isInTranscript?: boolean;
}

/**
 * `step`: those who follow each step of the work. `run`: those who look after the run, too. `person`: everybody; a person in
 * a conversation is told of agents below the root only this. `conversation`: only that person, of the root.
 */
export type News = "step" | "run" | "person" | "conversation";

export type MeaningOf<E extends RunEvent["event"]> = (
	event: Extract<RunEvent, { event: E }>,
	facts: EventFacts,
) => Meaning;

/** One row for each of these events. */
export type Meanings<E extends RunEvent["event"]> = { readonly [K in E]: MeaningOf<K> };
