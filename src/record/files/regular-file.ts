/** Looking at paths, where no caller has to catch, and opening files for reading, with what goes wrong as one line that says what to do. */

import {
	closeSync,
	constants,
	type Dirent,
	fstatSync,
	lstatSync,
	openSync,
	readdirSync,
	readFileSync,
	realpathSync,
	type Stats,
	statSync,
} from "node:fs";
import { join } from "node:path";
import { formatBytes } from "../../core/bytes.ts";
import { AgentreeError } from "../../core/errors.ts";
import { ifThere } from "../../core/if-there.ts";
import { adviceToPerson } from "../../core/machine/errno-advice.ts";

/** What lies in a directory; nothing in what is not there, is none, or may not be read. */
export function entriesIn(directory: string): Dirent[] {
	return ifThere(() => readdirSync(directory, { withFileTypes: true })) ?? [];
}

/** The paths of the directories in it; a link to one is none. */
export function directoriesIn(directory: string): string[] {
	return entriesIn(directory).flatMap((entry) => (entry.isDirectory() ? [join(directory, entry.name)] : []));
}

/** The names of what lies in it. */
export function namesIn(directory: string): string[] {
	return ifThere(() => readdirSync(directory)) ?? [];
}

/** Of what a path leads to; undefined for nothing, and where nobody can tell: a link to itself, a directory that may not be entered. */
export function statsOf(path: string): Stats | undefined {
	return ifThere(() => statSync(path));
}

/** Of what lies at a path itself; undefined for nothing, and where nobody can tell: in what is no directory, or may not be entered. */
export function linkStatsOf(path: string): Stats | undefined {
	return ifThere(() => lstatSync(path));
}

/** The path without links; undefined when it leads nowhere, or nobody can tell where. */
export function realPath(path: string): string | undefined {
	return ifThere(() => (path === "" ? undefined : realpathSync.native(path)));
}

/**
 * Which directory it is, whatever its name: a run finds its working directory again after a rename. The directory's inode and the time of its birth: an inode alone is given to another directory once the first is gone. Undefined
 * where there is no such directory, or its file system keeps no such time.
 */
export function directoryId(path: string): string | undefined {
	try {
		const found = statSync(path, { bigint: true });
		if (!found.isDirectory() || found.birthtimeNs <= 0n) return undefined;
		return `${found.ino}-${found.birthtimeNs}`;
	} catch {
		return undefined; // gone, or in a directory that may not be searched
	}
}

const MAX_TEXT_BYTES = 64 * 1024 * 1024; // a small file has a task and a system prompt in it

/**
 * Undefined when there is no such file. Throws AgentreeError("not_found") when it may not be read or is no regular
 * file: opening a FIFO without O_NONBLOCK waits for a writer, forever, and a link may lead to anything.
 */
export function openRegular(path: string): number | undefined {
	let file: number;
	try {
		file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		if (code === "ENOENT" || code === "ENOTDIR") return undefined;
		throw notReadable(path, isLink(path) ? "it is a symbolic link" : adviceFor(code ?? String(error)));
	}
	const found = fstatSync(file);
	if (found.isFile()) return file;
	closeSync(file);
	throw notReadable(path, found.isDirectory() ? "it is a directory" : "it is not a regular file");
}

function isLink(path: string): boolean {
	return ifThere(() => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true) ?? false; // a directory above it is what cannot be passed: a link to itself, say
}

/** As `openRegular`; a missing file is an error, too, and so is one of more than 64 MiB. */
export function readText(path: string): string {
	const file = openRegular(path);
	if (file === undefined) throw notReadable(path, "no such file (ENOENT)");
	try {
		if (fstatSync(file).size <= MAX_TEXT_BYTES) return readFileSync(file, "utf8");
	} catch (error) {
		throw notReadable(path, adviceFor((error as NodeJS.ErrnoException).code ?? String(error)));
	} finally {
		closeSync(file);
	}
	throw notReadable(path, `it has more than ${formatBytes(MAX_TEXT_BYTES)}`);
}

export function notReadable(path: string, why: string): AgentreeError {
	return new AgentreeError("not_found", `cannot read ${path}: ${why}`);
}

export function adviceFor(code: string): string {
	return adviceToPerson(code) ?? code;
}

/** What `act` gives; an error of the system is thrown as the one that `refusal` makes of its code. */
export function asUserError<T>(act: () => T, refusal: (code: string) => AgentreeError): T {
	try {
		return act();
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		throw code === undefined || error instanceof AgentreeError ? error : refusal(code);
	}
}
