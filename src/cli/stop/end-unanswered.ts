/**
 * What a stop does that got no answer of the supervisor: it looks at the process table, and ends what is there. Only for a
 * person: whoever is inside a run may end nothing beside or above itself, and nobody else tells what is below.
 */

import { AgentreeError } from "../../core/errors.ts";
import { type AgentId, ROOT } from "../../core/model/agent.ts";
import type { RunFile } from "../../core/schemas/run-files.ts";
import type { Io } from "../../faces/print/io.ts";
import { isRecordedAlive, killRecorded, signalRecorded } from "../../processes/table/open-table.ts";
import type { ProcessRef, ProcessTable } from "../../processes/table/process-table.ts";
import { replayRun } from "../../record/load-run.ts";
import { type FoundRun, readRunFile } from "../../record/read-run.ts";
import { isGoneWithin, type LivingSupervisor, unreachable, wordsFor } from "../../record/supervisor-process.ts";
import { describeEnding } from "../../text/describe-ending.ts";
import type { NoAnswer } from "../../wire/run-client.ts";
import { nameOf } from "../io/ask-run.ts";
import { isInside } from "../io/inside-run.ts";
import { endLeftovers } from "./leftovers.ts";

export interface Target extends FoundRun {
	readonly agent: AgentId;
	readonly isKill: boolean;
	readonly table: ProcessTable;
}

/** `what`: words for the run or the agent, and how it was ended. */
export type StopEnd =
	| { readonly is: "stopped"; readonly what: string; readonly survivors: readonly number[] }
	| { readonly is: "over"; readonly what: string };

const SAY_AFTER_MS = 1_500;

/** Throws AgentreeError("out_of_reach") when nothing may be ended from here. */
export async function endUnanswered(
	target: Target,
	{ supervisor, answer }: { supervisor: LivingSupervisor; answer: NoAnswer },
	io: Io,
): Promise<StopEnd> {
	const { run, directory, agent } = target;
	const file = readRunFile(directory);
	if (file.endedAt !== undefined && answer.because !== "suspended") return overAlready(run, file);
	const why = `${wordsFor(run, supervisor)} ${answer.why}`;
	if (supervisor.is === "elsewhere")
		throw unreachable(`${why}; it is in another pid namespace, perhaps a container: stop the run there`);
	if (!isRecordedAlive(supervisor)) return endAbandoned(target, file);
	requirePerson(why);
	const what = nameOf(target);
	const say = () => io.stderr(`agent: ${why}: stopping ${what} with the process table\n`);
	const saying = setTimeout(say, SAY_AFTER_MS);
	const ending = agent === ROOT ? endRun(target, supervisor, answer) : endAgent(target, why);
	return ending.finally(() => clearTimeout(saying));
}

/** Ends what a supervisor that has ended or died has left, whatever of the run was meant: nothing of it can go on. */
export async function endAbandoned(target: Target, file: RunFile): Promise<StopEnd> {
	const { run, directory, table, isKill: isHurry } = target;
	const hasEnded = file.endedAt !== undefined; // and left something with --keep-background
	if (hasEnded && isInside()) return overAlready(run, file);
	requirePerson(`the supervisor of run ${run} is dead`);
	const { hasFound, survivors } = await endLeftovers({ run, directory }, { table, isHurry });
	if (!hasFound)
		return overAlready(run, hasEnded ? file : { ending: { by: "crashed", reason: "its supervisor died" } });
	const what = hasEnded ? `what run ${run} had left running` : `run ${run}, whose supervisor is dead`;
	return { is: "stopped", what, survivors };
}

async function endRun(target: Target, supervisor: ProcessRef, answer: NoAnswer): Promise<StopEnd> {
	const { table, isKill: isHurry } = target;
	const { isSupervisorKilled, survivors } = await endRunByTable(target, supervisor, { table, isHurry });
	const was = answer.because === "suspended" ? "suspended" : "silent";
	const how = isSupervisorKilled
		? `whose ${was} supervisor (pid ${supervisor.pid}) was killed`
		: `whose supervisor (pid ${supervisor.pid}) was ${was}`;
	return { is: "stopped", what: `${nameOf(target)}, ${how}`, survivors };
}

async function endAgent(target: Target, why: string): Promise<StopEnd> {
	const { table, isKill: isHurry } = target;
	const { hasFound, survivors } = await endLeftovers(target, { table, isHurry });
	if (hasFound) return { is: "stopped", what: `${nameOf(target)}; ${why}`, survivors };
	return { is: "over", what: `${nameOf(target)} has already ended; ${why}` };
}

function overAlready(run: string, { ending }: Pick<RunFile, "ending">): StopEnd {
	const how = ending === undefined ? "" : `: ${describeEnding(ending)}`;
	return { is: "over", what: `run ${run} has already ended${how}` };
}

function requirePerson(why: string): void {
	if (!isInside()) return;
	throw unreachable(`${why}; nothing can be stopped from inside a run without it (outside, unset AGENTREE_SOCKET)`);
}

/** Ends a run whose supervisor lives and does not answer, by signals and what the process table shows. */
interface RunEndByTable {
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
async function endRunByTable(
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
