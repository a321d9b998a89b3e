/** What a supervisor needs from the process that it runs in. */
import type { AgentId } from "../core/agent.ts";
import type { Model, ModelDelta } from "../core/model.ts";
import type { RunEvent } from "../core/run-event.ts";
import type { RunState } from "../core/run-state.ts";
import type { TranscriptEntry } from "../core/transcript.ts";
import type { ProcessTable } from "../processes/process-table.ts";

export interface SupervisorHost {
	table: ProcessTable;
	now: () => number;
	/** ms since some moment; unlike `now` it is never set back or forward. */
	elapsed: () => number;
	/** 0 to 1. */
	random: () => number;
	loadModel: (name: string) => Promise<Model>;
	/** Told after it is on disk. */
	onEvent?: (event: RunEvent, run: RunState) => void;
	onRecord?: (agent: AgentId, entry: TranscriptEntry) => void;
	/** A piece of an answer that streams. A call that is made again (`turn_retrying`) begins anew. */
	onDelta?: (agent: AgentId, turn: number, delta: ModelDelta) => void;
}
