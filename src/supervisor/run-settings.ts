/** The settings of a run: its task, its limits and how its processes are started. */

import type { Clock } from "../core/clock.ts";
import type { AgentId } from "../core/model/agent.ts";
import type { Model, ModelDelta } from "../core/model/model.ts";
import type { TranscriptEntry } from "../core/model/transcript.ts";
import type { RunEvent } from "../core/run/run-event.ts";
import type { RunState } from "../core/run/run-state.ts";
import type { ProcessTable } from "../processes/table/process-table.ts";

export type { RunSettings } from "../wire/supervise-order.ts";

/** What a supervisor needs of the process that it runs in. */

export interface SupervisorHost extends Clock {
	table: ProcessTable;
	/** 0 to 1. */
	random: () => number;
	loadModel: (name: string) => Promise<Model>;
	/** Called with an error that ended a call of a model, and nothing else. */
	onCallError?: (error: unknown) => void;
	/** Called when the event is on disk. */
	onEvent?: (event: RunEvent, run: RunState) => void;
	onRecord?: (agent: AgentId, entry: TranscriptEntry) => void;
	/** Called for each piece of an answer that streams. A retried call (`turn_retrying`) begins from its start. */
	onDelta?: (agent: AgentId, turn: number, delta: ModelDelta) => void;
}
