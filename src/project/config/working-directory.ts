/** The directory that the program was started in. Somebody may have removed it, or a part of its path, meanwhile. */
import { accessSync, constants, statSync } from "node:fs";
import { AgentreeError, usageError } from "../../core/errors.ts";

/** The working directory. Throws AgentreeError("usage"), so what does not need it (help, an absolute `--cd`) must not call this. */
export function workingDirectory(cwd: () => string): string {
	try {
		return requireUtf8(cwd());
	} catch (error) {
		if (error instanceof AgentreeError) throw error;
		const code = (error as NodeJS.ErrnoException).code ?? String(error);
		throw usageError(`the working directory no longer exists (${code}): cd to another, or pass one with --cd`);
	}
}

/** Node reads a name that is not UTF-8 with U+FFFD in it, which names another directory or none. */
function requireUtf8(directory: string): string {
	if (!directory.includes("\ufffd") || isSame(directory, ".")) return directory;
	throw usageError(
		`the name of the working directory is not valid UTF-8 (${directory}): rename it, or pass another with --cd`,
	);
}

function isSame(one: string, other: string): boolean {
	const [a, b] = [one, other].map((path) => statSync(path, { throwIfNoEntry: false }));
	return a !== undefined && a.ino === b?.ino && a.dev === b.dev;
}

/** Why no run can begin in the working directory; undefined when one can. */
export function workingDirectoryProblem(cwd: () => string): string | undefined {
	try {
		const directory = workingDirectory(cwd);
		return mayEnter(directory) ? undefined : `${directory}: permission denied`;
	} catch (error) {
		if (error instanceof AgentreeError) return error.message;
		throw error;
	}
}

/** For commands that only show something: the directory's name, even when it has been removed, so that its runs are found. A removed directory is left. */
export function formerDirectory(host: Pick<typeof process, "cwd" | "chdir">, shellsName: string | undefined): string {
	try {
		return host.cwd();
	} catch {
		host.chdir("/"); // libraries ask for the working directory, too, and do not expect an error
		return shellsName?.startsWith("/") === true ? shellsName : "/";
	}
}

/** True when a process can be started in the directory. To enter a directory is one right, to read it another. */
export function mayEnter(directory: string): boolean {
	try {
		accessSync(directory, constants.X_OK);
		return true;
	} catch {
		return false;
	}
}
