/**
 * A copy of a run under an id of its own, to go on with; the first stays as it is, and may be alive. The copy has its whole record
 * up to now, or up to a message of the person, and has spent nothing: what was used before is the first's. It is made beside
 * the runs, and gets its name when it is whole.
 */
import { closeSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { socketPath } from "../../config/state-directory.ts";
import { ROOT } from "../../core/agent.ts";
import { defined } from "../../core/defined.ts";
import { AgentreeError } from "../../core/errors.ts";
import { NO_PROCESS } from "../../core/no-process.ts";
import type { RunEvent } from "../../core/run-event.ts";
import { newRunId } from "../../core/run-id.ts";
import { agentsInOrder, type RunState, reduceInPlace } from "../../core/run-state.ts";
import type { RunFile } from "../../core/transcript.ts";
import { copyLines } from "../../store/copy-file.ts";
import { replayRun } from "../../store/load-run.ts";
import {
	appendLine,
	makeNewPrivateDirectory,
	onDisk,
	openForAppend,
	replaceSafely,
} from "../../store/private-files.ts";
import { readRunFile } from "../../store/read-run.ts";
import { requireValid } from "../../store/recovery/valid-directory.ts";
import { eventsPath, runDirectory, runFilePath, runsDirectory } from "../../store/run-directory.ts";
import { originOf, whyForeign } from "../../store/run-origin.ts";
import { toFile } from "../../store/spelling.ts";
import { endedRunFileOf } from "../../supervisor/record/run-files.ts";
import { requireKnownVersion, requireOriginal, requireOwn } from "../start/resumable.ts";
import { type ConversationCut, conversationCut } from "./conversation-cut.ts";
import { copyAgent } from "./copy-agent.ts";
import { copyUndo } from "./copy-undo.ts";
import { endsOfCopy } from "./ends-of-copy.ts";

export interface ForkHost {
	readonly home: string;
	readonly env: Readonly<Record<string, string | undefined>>;
	readonly uid: number;
	readonly now: number;
	readonly random: () => number;
}

export interface Forked {
	readonly run: string;
	readonly directory: string;
	readonly file: RunFile;
}

interface ForkHow {
	readonly before?: number | undefined;
}

const ALL: ConversationCut = {
	...{ transcriptLines: Number.POSITIVE_INFINITY, eventLines: Number.POSITIVE_INFINITY, isAnswered: false },
};

/**
 * `before`: the copy ends before this message of the person, the task being the first. Throws AgentreeError when the run cannot be
 * gone on with, or the disk does not take the copy; then there is none.
 */
export function forkRun(run: { run: string; directory: string }, how: ForkHow, host: ForkHost): Forked {
	try {
		return fork(run, how, host);
	} catch (error) {
		const isOfSystem = (error as NodeJS.ErrnoException).code === "ENOENT" && !(error instanceof AgentreeError);
		if (!isOfSystem || existsSync(run.directory)) throw error;
		throw new AgentreeError("not_found", `run ${run.run} was removed meanwhile`);
	}
}

function fork(
	{ run: from, directory }: { run: string; directory: string },
	{ before }: ForkHow,
	host: ForkHost,
): Forked {
	requireOwn(directory, from, host.uid);
	requireValid(directory);
	const file = readRunFile(directory);
	requireOriginal(directory, file);
	requireKnownVersion(file);
	const cut = before === undefined ? ALL : conversationCut(directory, before);
	const run = newRunId(new Date(host.now), host.random);
	const making = join(runsDirectory(host.home), `.forking-${run}`);
	makeNewPrivateDirectory(making);
	try {
		const copied = copyRun({ from, directory, file, cut }, { run, directory: making }, host);
		replaceSafely(runFilePath(making), toFile(copied));
		readRunFile(directory); // it may have been removed meanwhile, and the copy be of a half
		const made = runDirectory(host.home, run);
		onDisk(made, () => mkdirSync(made, { mode: 0o700 })); // nobody else has it; an empty directory is replaced
		onDisk(made, () => renameSync(making, made));
		return { run, directory: made, file: copied };
	} catch (error) {
		rmSync(making, { recursive: true, force: true });
		throw error;
	}
}

interface Source {
	readonly from: string;
	readonly directory: string;
	readonly file: RunFile;
	readonly cut: ConversationCut;
}

/** The event log first: what the supervisor writes meanwhile is then in the transcripts alone, where it can be told from the rest. */
function copyRun(source: Source, copy: { run: string; directory: string }, host: ForkHost): RunFile {
	const { from, directory, file, cut } = source;
	const { now } = host;
	copyLines(eventsPath(directory), eventsPath(copy.directory), cut.eventLines);
	const recorded = replayRun(copy.directory, file).state;
	for (const agent of agentsInOrder(recorded)) {
		const most = agent.id === ROOT ? cut.transcriptLines : Number.POSITIVE_INFINITY;
		copyAgent({ from, directory, agent, most }, { ...copy, now });
	}
	copyUndo(directory, copy.directory);
	const ends = endsOfCopy(recorded, { isAnswered: cut.isAnswered, isCut: cut !== ALL, now });
	const { ending, exitCode } = ends.run;
	const events: RunEvent[] = [
		...ends.agents,
		{ event: "run_forked", at: now, run: copy.run, from },
		{ event: "run_ended", at: now, ending, exitCode, survivors: [] },
	];
	appendEvents(eventsPath(copy.directory), events);
	const state = events.reduce(reduceInPlace, recorded);
	return copiedFile(source, { state, directory: copy.directory }, host);
}

function appendEvents(path: string, events: readonly RunEvent[]): void {
	const log = openForAppend(path);
	try {
		for (const event of events) appendLine(log, path, toFile(event));
	} finally {
		closeSync(log);
	}
}

/** Where the first was not made here, the copy was not either: a person is asked before either goes on. */
function copiedFile(
	{ from, directory, file }: Source,
	copy: { state: RunState; directory: string },
	{ home, env, uid, now }: ForkHost,
): RunFile {
	const { run } = copy.state;
	const isForeign = whyForeign(directory, file) !== undefined;
	const origin = isForeign ? file.origin : { ...originOf(copy.directory), directory: runDirectory(home, run) };
	return {
		...endedRunFileOf(file, copy.state),
		...{ run, forkedFrom: from, supervisor: NO_PROCESS, socket: socketPath(env, uid, run), startedAt: now },
		...defined({ origin }),
	};
}
