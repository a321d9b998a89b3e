/** The run of `text/recorded-run.ts` as an export has it, without files. */
import type { TracedRun } from "../../../../src/cli/export/chrome-trace.ts";
import { RunTimelineBuilder } from "../../../../src/cli/export/run-timeline.ts";
import type { RunEvent } from "../../../../src/core/run-event.ts";
import { EMPTY_RUN, reduce } from "../../../../src/core/run-state.ts";

export function tracedRun(events: readonly RunEvent[], now: number): TracedRun {
	const state = events.reduce(reduce, EMPTY_RUN);
	const builder = new RunTimelineBuilder();
	for (const event of events) builder.note(event);
	return { state, timeline: builder.build(state, now) };
}
