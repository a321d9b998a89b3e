/** A run as an export has it: small facts of it in memory, and what its agents said and printed on disk until it is asked for. */
import type { RunState } from "../../core/run-state.ts";
import { forEachEvent } from "../../store/read-events.ts";
import { type Io, loadRunNow } from "../io/io.ts";
import { type RunTimeline, RunTimelineBuilder } from "./run-timeline.ts";

export interface RecordedRun {
	readonly directory: string;
	readonly state: RunState;
	readonly timeline: RunTimeline;
	/** When it was read: what is under way then has no end. */
	readonly now: number;
	/** What could not be read, one line each; reading of its agents adds to it. */
	readonly damage: string[];
}

export function readRecordedRun(directory: string, io: Io): RecordedRun {
	const { state, damage } = loadRunNow(directory);
	const timeline = new RunTimelineBuilder();
	forEachEvent(directory, (event) => timeline.note(event)); // its damage is known from above
	const now = state.ended?.at ?? io.now();
	return { directory, state, timeline: timeline.build(state, now), now, damage };
}
