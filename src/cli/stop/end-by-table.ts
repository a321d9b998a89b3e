/** Ends a run whose supervisor lives and does not answer, by signals and what the process table shows. */
import { AgentreeError } from "../../core/errors.ts";
import { killRecorded, signalRecorded } from "../../processes/open-table.ts";
import type { ProcessRef, ProcessTable } from "../../processes/process-table.ts";
import { replayRun } from "../../store/load-run.ts";
import type { FoundRun } from "../../store/read-run.ts";
import { endLeftovers } from "./leftovers.ts";
import { isGoneWithin } from "./supervisor-process.ts";

export interface RunEndByTable {
	/** The supervisor did not end by itself. */
	readonly isSupervisorKilled: boolean;
	readonly survivors: readonly number[];
}

const BEGIN_MS = 3_000; // a supervisor that is told to stop writes so within milliseconds
const OWN_STOP_MS = 9_000; // agents that ignore the stop have 5.5 s, and their processes are ended after that

/**
 * Ends the run with its supervisor. That is told by signal first, so that it can stop the run by itself and write down how
 * it ended; one that is suspended goes on for that. `isHurry`: it is killed at once, and so is all else.
 */
export async function endRunByTable(
	run: Pick<FoundRun, "run" | "directory">,
	supervisor: ProcessRef,
	{ table, isHurry }: { table: ProcessTable; isHurry: boolean },
): Promise<RunEndByTable> {
	const stopping = isHurry ? "not" : await stopBySignal(run.directory, supervisor);
	const alive = stopping === "done" ? [] : await killRecorded(supervisor);
	const hadGrace = stopping !== "not";
	const { survivors } = await endLeftovers(run, { table, isHurry: isHurry || hadGrace });
	return { isSupervisorKilled: stopping !== "done", survivors: [...alive.map(({ pid }) => pid), ...survivors] };
}

/** `begun`: it did not come to its end in time. `not`: the supervisor does nothing. */
async function stopBySignal(directory: string, supervisor: ProcessRef): Promise<"done" | "begun" | "not"> {
	signalRecorded(supervisor, "SIGTERM");
	signalRecorded(supervisor, "SIGCONT");
	if (await isGoneWithin(BEGIN_MS, supervisor)) return "done";
	if (!hasBegunToStop(directory)) return "not";
	return (await isGoneWithin(OWN_STOP_MS - BEGIN_MS, supervisor)) ? "done" : "begun";
}

function hasBegunToStop(directory: string): boolean {
	try {
		const { stopping, ended } = replayRun(directory).state;
		return stopping !== undefined || ended !== undefined;
	} catch (error) {
		if (error instanceof AgentreeError) return false; // the record cannot be read
		throw error;
	}
}
