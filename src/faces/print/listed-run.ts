/** A run as lists have it, and what is said of it in a word. Pure. */
import { type AgentId, ROOT } from "../../core/model/agent.ts";
import type { Usage } from "../../core/model/usage.ts";
import { type RunState, totalsOf } from "../../core/run/run-state.ts";
import type { RunFile } from "../../core/schemas/run-files.ts";

/** `state` is undefined for a run of which only run.json was read: it is over. */
export interface ListedRun {
	readonly file: RunFile;
	readonly state?: RunState;
	/** The run's supervisor lives, but was stopped by a signal. */
	readonly isSuspended?: boolean;
	/** The answers of agents that were looked for. */
	readonly answers?: ReadonlyMap<AgentId, string>;
}

/** The state of a run in one word: `running`, `stopping`, `suspended`, `listening`, `crashed`, `answer`, `limit` … */
export function stateOfRun({ file, state, isSuspended }: ListedRun): string {
	if (state === undefined) return file.ending?.by ?? "crashed";
	if (state.ended !== undefined) return state.ended.ending.by;
	if (isSuspended) return "suspended";
	if (state.stopping !== undefined) return "stopping";
	return state.agents[ROOT]?.state.is === "listening" ? "listening" : "running";
}

/** A run's totals; undefined when it crashed, or was recorded before run.json had them. `costUsd` null: no price is known. */
export interface KnownTotals {
	readonly agents?: number | undefined;
	readonly turns?: number | undefined;
	readonly usage?: Usage | undefined;
	readonly costUsd?: number | null | undefined;
}

export function knownTotals({ file, state }: ListedRun): KnownTotals {
	if (state !== undefined) return totalsOf(Object.values(state.agents));
	const { agents, turns, usage, costUsd } = file;
	return { agents, turns, usage, costUsd };
}
