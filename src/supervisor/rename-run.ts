/** Gives the living run another name: as an event, and in run.json, by which lists know it. */
import type { RunEvent } from "../core/run-event.ts";
import type { RunState } from "../core/run-state.ts";
import type { RunFile } from "../core/transcript.ts";
import type { Journal } from "./record/journal.ts";
import { namedRunFileOf } from "./record/run-files.ts";

export interface Renaming {
	readonly journal: Pick<Journal, "runFile">;
	/** As the run began, or was resumed. */
	readonly runFile: RunFile;
	readonly run: () => RunState;
	readonly emit: (event: RunEvent) => void;
	readonly now: () => number;
}

/** `name`: empty for none. */
export function renameRun(name: string, { journal, runFile, run, emit, now }: Renaming): void {
	emit({ event: "run_named", at: now(), name });
	journal.runFile(namedRunFileOf(runFile, run()));
}
