/** The run of `print/recorded-run.ts`, or another one, as an export has it. */
import type { TracedRun } from "../../../../src/cli/export/export-run.ts";
import type { AgentId } from "../../../../src/core/model/agent.ts";
import type { RunFile } from "../../../../src/core/model/transcript.ts";
import type { RunEvent } from "../../../../src/core/run/run-event.ts";
import { EMPTY_RUN, reduce } from "../../../../src/core/run/run-state.ts";
import type { WholeRun } from "../../../../src/faces/json/whole-run.ts";
import { RecordedRun } from "../../../../src/record/run-source.ts";
import { RunTimelineBuilder } from "../../../../src/view/timeline/run-timeline.ts";
import { concerns } from "../../../../src/view/transcript/notices.ts";
import { runFile } from "../../record/fabricate.ts";

export function tracedRun(events: readonly RunEvent[], now: number): TracedRun {
	const state = events.reduce(reduce, EMPTY_RUN);
	const builder = new RunTimelineBuilder();
	for (const event of events) builder.note(event);
	return { state, timeline: builder.build(state, now) };
}

export interface Fabricated {
	readonly directory: string;
	readonly events: readonly RunEvent[];
	readonly now: number;
	readonly file?: Partial<RunFile>;
	readonly damage?: readonly string[];
}

export function recordedRun({ directory, events, now, file = {}, damage = [] }: Fabricated): WholeRun {
	const eventsOf = (agent: AgentId) => events.filter((event) => concerns(event, agent));
	const known = { isSuspended: false, eventsOf, damage: [...damage] };
	return { source: new RecordedRun(directory), file: runFile(file), ...tracedRun(events, now), ...known, now };
}
