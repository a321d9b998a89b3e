/** What a command may know of its process, and the only ways in which it prints. */
import { existsSync } from "node:fs";
import { AgentreeError } from "../../core/errors.ts";
import { parseCookie } from "../../core/run/cookie.ts";
import { isRecordedAlive, isRecordedSuspended, recordedAliveNow } from "../../processes/table/open-table.ts";
import { readableStateDirectory } from "../../project/config/chosen-directory.ts";
import { type LoadedRun, loadRunState } from "../../record/load-run.ts";
import { type FoundRun, findRun } from "../../record/read-run.ts";
import { runDirectory, runFilePath } from "../../record/run-directory.ts";
import { inOneLine } from "../../text/safe/terminal-safe.ts";

export interface Io {
	readonly env: Readonly<Record<string, string | undefined>>;
	readonly cwd: string;
	/** Why no run can begin in the working directory, which has been removed, say. */
	readonly cwdProblem?: string | undefined;
	readonly uid: number;
	readonly stdout: (text: string) => void;
	readonly stderr: (text: string) => void;
	/** A promise to wait for when much of what was printed is not written yet; else undefined. */
	readonly drained?: () => Promise<void> | undefined;
	/** True when stdout is a terminal. */
	readonly isTTY: boolean;
	/** True when stderr is a terminal. */
	readonly isErrorTTY?: boolean;
	/** The terminal's width now; undefined when there is none: then no line is cut. */
	readonly columns: number | undefined;
	readonly rows?: number | undefined;
	/** Milliseconds since the epoch. */
	readonly now: () => number;
	/** Aborts a command that follows a run. */
	readonly signal?: AbortSignal;
}

export const isProcessAlive = isRecordedAlive;
export const isProcessSuspended = isRecordedSuspended;

/** The state of a run, corrected by what the process table shows now. */
export function loadRunNow(directory: string): LoadedRun {
	return loadRunState(directory, recordedAliveNow(), { isSuspended: isRecordedSuspended });
}

/** The state directory, to read in it. Says so when it is not the one that the environment names. */
export function stateDirectoryFor(io: Io): string {
	const { path, notice } = readableStateDirectory(io);
	if (notice !== undefined) warn(io, [notice]);
	return path;
}

/** Finds a run like `findRun`. Inside a run, no ref and a bare `1.2` mean that run. */
export function findRunFor(io: Io, home: string, ref: string | undefined): FoundRun {
	const inside = parseCookie(io.env)?.run;
	const isBare = ref === undefined || /^1(\.|$)/.test(ref);
	if (!inside || !isBare) return findRun(home, ref, io.cwd);
	if (isHidden(io, home, inside)) throw filesHidden(inside);
	return findRun(home, ref === undefined ? inside : `${inside}/${ref}`, io.cwd);
}

/** Whether the files of the run around this process are hidden from it, by a sandbox. */
export function isHidden({ env }: Pick<Io, "env">, home: string, run: string): boolean {
	return Boolean(env.AGENTREE_SOCKET) && !existsSync(runFilePath(runDirectory(home, run)));
}

function filesHidden(run: string): AgentreeError {
	const others = "agent ps, show, log, why, wait, send, stop and pause do without them";
	return new AgentreeError("refused", `the files of run ${run} cannot be read in a sandbox; ${others}`);
}

/** Prints what is wrong with a run's files, which never ends a command. */
export function warn(io: Io, damage: readonly string[]): void {
	for (const what of damage) io.stderr(`agent: ${inOneLine(what)}\n`);
}

/** Prints why a file cannot be read, and goes on, so that one damaged file does not hide the others. */
export function orWarn<T>(io: Io, read: () => T): T | undefined {
	try {
		return read();
	} catch (error) {
		if (!(error instanceof AgentreeError)) throw error;
		warn(io, [error.message]);
		return undefined;
	}
}
