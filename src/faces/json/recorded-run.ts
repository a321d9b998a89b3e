/** A run as an export has it: small facts of it in memory, and what its agents said and printed on disk until it is asked for. */
import type { AgentId } from "../../core/model/agent.ts";
import type { RunFile } from "../../core/model/transcript.ts";
import type { RunEvent } from "../../core/run/run-event.ts";
import type { RunState } from "../../core/run/run-state.ts";
import { EventIndex } from "../../record/event-index.ts";
import { supervisorOf } from "../../record/load-run.ts";
import { forEachEvent } from "../../record/read-events.ts";
import { type RunTimeline, RunTimelineBuilder } from "../../view/run-timeline.ts";
import { type Io, isProcessSuspended, loadRunNow } from "../print/io.ts";

const PIECE_BYTES = 8 * 1024 * 1024;

export interface RecordedRun {
	readonly directory: string;
	readonly file: RunFile;
	readonly state: RunState;
	/** The run's supervisor lives, but was stopped by a signal. */
	readonly isSuspended: boolean;
	readonly timeline: RunTimeline;
	/** The events that the transcript of the agent needs. */
	readonly eventsOf: (agent: AgentId) => RunEvent[];
	/** When it was read: what is under way then has no end. */
	readonly now: number;
	/** What could not be read, one line each; reading of its agents adds to it. */
	readonly damage: string[];
}

export function readRecordedRun(directory: string, io: Io): RecordedRun {
	const { file, state, damage } = loadRunNow(directory);
	const isSuspended = state.ended === undefined && isProcessSuspended(supervisorOf(file));
	const timeline = new RunTimelineBuilder();
	forEachEvent(directory, (event) => timeline.note(event)); // its damage is known from above
	const now = state.ended?.at ?? io.now();
	const eventsOf = indexedEvents(directory);
	return { directory, file, state, isSuspended, timeline: timeline.build(state, now), eventsOf, now, damage };
}

function indexedEvents(directory: string): RecordedRun["eventsOf"] {
	let index: EventIndex | undefined;
	return (agent) => {
		index ??= new EventIndex(directory);
		while (!index.readOn(PIECE_BYTES));
		return index.eventsOf(agent);
	};
}
