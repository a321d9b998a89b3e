/** The run of `print/recorded-run.ts`, or another one, as an export has it. */

import type { AgentId } from "../../../../src/core/model/agent.ts";
import { EMPTY_RUN, reduce } from "../../../../src/core/run/run-state.ts";
import type { RunEvent } from "../../../../src/core/schemas/run-event.ts";
import type { RunFile } from "../../../../src/core/schemas/run-files.ts";
import type { TracedRun } from "../../../../src/faces/json/chrome-trace.ts";
import type { WholeRun } from "../../../../src/faces/json/whole-run.ts";
import { RecordedRun } from "../../../../src/record/run-source.ts";
import { concerns } from "../../../../src/view/transcript/notices.ts";
import { runFile } from "../../record/fabricate.ts";

export function tracedRun(events: readonly RunEvent[], now: number): TracedRun {
	return { source: { events: eventsFrom(events) }, state: events.reduce(reduce, EMPTY_RUN), now };
}

function eventsFrom(events: readonly RunEvent[]): RecordedRun["events"] {
	return (onEvent) => {
		for (const event of events) onEvent(event, event);
		return [];
	};
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
	const source = Object.assign(new RecordedRun(directory), { events: eventsFrom(events) });
	return { ...tracedRun(events, now), source, file: runFile(file), ...known };
}
