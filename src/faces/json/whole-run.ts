/** A run as an export has it: small facts of it in memory, and what its agents said and printed on disk until it is asked for. */

import { AgentreeError } from "../../core/errors.ts";
import { type Agent, type AgentId, isOver } from "../../core/model/agent.ts";
import type { RunEvent } from "../../core/schemas/run-event.ts";
import { EventIndex } from "../../record/read-events.ts";
import type { RecordedRun, RunSnapshot } from "../../record/run-source.ts";
import { escapeJson } from "../../text/safe/invisible.ts";
import { redactedJson } from "../../text/safe/redact.ts";
import type { TranscriptItem } from "../../view/transcript/items.ts";
import { inOrder } from "../../view/transcript/merge.ts";
import { settledItems, Transcript } from "../../view/transcript/transcript.ts";
import type { Io } from "../print/io.ts";

const PIECE_BYTES = 8 * 1024 * 1024;

export interface WholeRun extends RunSnapshot {
	readonly source: RecordedRun;
	/** The events that the transcript of the agent needs. */
	readonly eventsOf: (agent: AgentId) => RunEvent[];
	/** When it was read: what is under way then has no end. */
	readonly now: number;
	/** What could not be read, one line each; reading of its agents adds to it. */
	readonly damage: string[];
}

export function readWholeRun(source: RecordedRun, io: Pick<Io, "now">): WholeRun {
	const { damage, ...snapshot } = source.snapshot();
	const { state } = snapshot;
	const now = state.ended?.at ?? io.now();
	return { ...snapshot, source, eventsOf: indexedEvents(source), now, damage: [...damage] };
}

/** The items of an agent's transcript. `task`: stands above them; without one they have it. */
export function itemsOf(run: WholeRun, agent: Agent, task?: string): Generator<TranscriptItem> {
	const entries = run.source.entries(agent.id, (what) => run.damage.push(`agent ${agent.id}: ${what}`));
	const endedAt = isOver(agent) ? agent.state.at : undefined;
	return settledItems(new Transcript(agent.id, task), inOrder(run.eventsOf(agent.id), entries), endedAt);
}

function indexedEvents({ directory }: RecordedRun): WholeRun["eventsOf"] {
	let index: EventIndex | undefined;
	return (agent) => {
		index ??= new EventIndex(directory);
		while (!index.readOn(PIECE_BYTES));
		return index.eventsOf(agent);
	};
}

/** One file that cannot be read hides no other: why not is said with what is exported. */

export function orDamage<T>(damage: string[], read: () => T): T | undefined {
	try {
		return read();
	} catch (error) {
		if (!(error instanceof AgentreeError)) throw error;
		damage.push(error.message);
		return undefined;
	}
}

/** JSON that is written to a file of a person's: without keys and passwords, and safe to look at. */

export function exportedJson(value: unknown): string {
	return escapeJson(redactedJson(value));
}
