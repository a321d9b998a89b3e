/** What a command may know of its process, and the only ways in which it prints. */
import { AgentreeError } from "../../core/errors.ts";
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

/** What an error of the file system means to who named the file. */

const WORDS: Readonly<Record<string, string>> = {
	EACCES: "permission denied",
	EDQUOT: "the disk is full",
	ENAMETOOLONG: "its name is too long",
	ENOENT: "its directory does not exist",
	ENOSPC: "the disk is full",
	ENOTDIR: "part of the path is a file",
	EPERM: "permission denied",
	EROFS: "the file system is read-only",
};

export function errnoWords(code: string): string {
	return WORDS[code] ?? code;
}
