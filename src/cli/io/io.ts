/** What a command may know of the world, and the only ways in which it speaks. */
import { parseCookie } from "../../core/cookie.ts";
import { AgentreeError } from "../../core/errors.ts";
import { isRecordedAlive, isRecordedSuspended } from "../../processes/open-table.ts";
import { type FoundRun, findRun } from "../../store/read-run.ts";
import { stripControl } from "../../text/terminal-safe.ts";

export interface Io {
	readonly env: Readonly<Record<string, string | undefined>>;
	readonly cwd: string;
	readonly stdout: (text: string) => void;
	readonly stderr: (text: string) => void;
	/** To wait for when much of what was printed is not written yet; else undefined. */
	readonly drained?: () => Promise<void> | undefined;
	/** Of stdout. */
	readonly isTTY: boolean;
	/** Of the terminal; undefined when there is none: then nothing is cut. */
	readonly columns: number | undefined;
	readonly rows?: number | undefined;
	/** Milliseconds since the epoch. */
	readonly now: () => number;
	/** Ends a command that follows. */
	readonly signal?: AbortSignal;
}

export const isProcessAlive = isRecordedAlive;
export const isProcessSuspended = isRecordedSuspended;

/** As `findRun`; inside a run, nothing and a bare `1.2` mean that run. */
export function findRunFor(io: Io, home: string, ref: string | undefined): FoundRun {
	const inside = parseCookie(io.env)?.run;
	const isBare = ref === undefined || /^1(\.|$)/.test(ref);
	if (!inside || !isBare) return findRun(home, ref, io.cwd);
	return findRun(home, ref === undefined ? inside : `${inside}/${ref}`, io.cwd);
}

/** What is wrong with the files is said once, never thrown. */
export function warn(io: Io, damage: readonly string[]): void {
	for (const what of damage) io.stderr(`agent: ${stripControl(what)}\n`);
}

/** What cannot be read is said, so that one damaged file does not hide the others. */
export function orWarn<T>(io: Io, read: () => T): T | undefined {
	try {
		return read();
	} catch (error) {
		if (!(error instanceof AgentreeError)) throw error;
		warn(io, [error.message]);
		return undefined;
	}
}
