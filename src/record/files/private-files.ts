/**
 * Writing that nobody else may read, whatever the umask, with the disk's errors as one line that says what to do. Commands
 * may put anything in place of a file: nothing is written through a link, and a FIFO or a device makes nobody wait.
 */

import {
	chmodSync,
	closeSync,
	constants,
	copyFileSync,
	existsSync,
	fchmodSync,
	fstatSync,
	fsyncSync,
	ftruncateSync,
	lstatSync,
	mkdirSync,
	mkdtempSync,
	openSync,
	readSync,
	renameSync,
	rmSync,
	unlinkSync,
	writeSync,
} from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { AgentreeError } from "../../core/errors.ts";
import { adviceToPerson } from "../../core/machine/errno-advice.ts";
import { redactedJson } from "../../text/safe/redact.ts";
import { restOf } from "./json-lines.ts";
import { asUserError, openRegular } from "./regular-file.ts";

const { O_RDWR, O_WRONLY, O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK } = constants;
/** Without O_NONBLOCK opening a FIFO waits for its other end, forever. */
const TO_APPEND = O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK;
const NEW = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;

/**
 * Makes what is missing of the path; what it makes has mode 0700. Level by level: with `recursive`, Node 20 never comes
 * back where the parent is there but takes no entry (/proc).
 */
export function makePrivateDirectory(path: string): void {
	if (existsSync(path)) return;
	makePrivateDirectory(dirname(path));
	onDisk(path, () => {
		try {
			mkdirSync(path, { mode: 0o700 });
			chmodSync(path, 0o700); // the umask may have taken more than the mode asks for
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error; // somebody else was faster
		}
	});
}

/** Like `makePrivateDirectory`, but the directory must not exist yet. */
export function makeNewPrivateDirectory(path: string): void {
	onDisk(path, () => {
		mkdirSync(path, { mode: 0o700 });
		chmodSync(path, 0o700); // the umask may have taken more than the mode asks for
	});
}

/** Opens for `appendLine`; a torn last line, left by a writer that died, is cut off first, and a whole one gets its line feed. */
export function openForAppend(path: string): number {
	const file = openToAppend(path);
	try {
		onDisk(path, () => fchmodSync(file, 0o600));
		onDisk(path, () => mend(file));
		return file;
	} catch (error) {
		closeSync(file);
		throw error;
	}
}

/** As it is, torn or not. Refuses a hard link, too: what has a second name may be anybody's file. */
export function openToAppend(path: string): number {
	const file = onDisk(path, () => {
		try {
			return openSync(path, TO_APPEND, 0o600);
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code === "ELOOP")
				throw notWritable(path, "it is a symbolic link; move it away");
			throw error;
		}
	});
	const found = fstatSync(file);
	if (found.isFile() && found.nlink <= 1) return file;
	closeSync(file);
	throw notWritable(
		path,
		`${found.isFile() ? "it has another name (a hard link)" : "it is not a regular file"}; move it away`,
	);
}

/** One line in one write; a line that could not be written whole is taken back. `path` is for the message. */
export function appendLine(file: number, path: string, value: object): void {
	const bytes = Buffer.from(`${redactedJson(value)}\n`);
	let written = 0;
	onDisk(path, () => {
		try {
			while (written < bytes.length) written += writeSync(file, bytes, written);
		} catch (error) {
			if (written > 0) ftruncateSync(file, fstatSync(file).size - written);
			throw error;
		}
	});
}

/** A reader sees the old file or the new one, never a part. After a power cut the new one may be empty. */
export function replaceJson(path: string, value: object): void {
	replace(path, value, () => {});
}

/** As `replaceJson`, and the file is whole after a power cut, too. Waits some milliseconds for the disk, which is too much for what each agent writes. */
export function replaceSafely(path: string, value: object): void {
	replace(path, value, fsyncSync);
}

function replace(path: string, value: object, beforeRename: (file: number) => void): void {
	replaceText(path, `${redactedJson(value, "\t")}\n`, { mode: 0o600, beforeRename });
}

/** What is there, a link too, is replaced and not written to. */
export function replaceText(
	path: string,
	text: string | Uint8Array,
	{ mode, beforeRename }: { mode: number; beforeRename?: (file: number) => void },
): void {
	onDisk(path, () => {
		const temporary = `${path}.new`;
		const file = openNew(temporary, mode);
		try {
			fchmodSync(file, mode);
			writeAll(file, typeof text === "string" ? Buffer.from(text) : text);
			beforeRename?.(file);
		} finally {
			closeSync(file);
		}
		putInPlace(temporary, path);
	});
}

/** Takes away what a writer that died has left there, or a command has put there. */
function openNew(path: string, mode: number): number {
	try {
		return openSync(path, NEW, mode);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
		if (!moveDirectoryAway(path)) unlinkSync(path);
		return openSync(path, NEW, mode);
	}
}

function putInPlace(temporary: string, path: string): void {
	try {
		renameSync(temporary, path);
	} catch (error) {
		if (!moveDirectoryAway(path)) throw error;
		renameSync(temporary, path);
	}
}

/** False when there is no directory. What a command has put into it is kept, beside the file. */
function moveDirectoryAway(path: string): boolean {
	if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return false;
	moveAway(path);
	return true;
}

/** To a new directory beside it, of mode 0700. */
function moveAway(path: string): void {
	renameSync(path, join(mkdtempSync(`${path}.moved-`), basename(path)));
}

/** Removes a file, if it can be. A directory in its place is left: it is not what was made there. */
export function removeFile(path: string): void {
	try {
		rmSync(path, { force: true });
	} catch {} // not ours any more, or on a disk that cannot be written: it is only swept up
}

function mend(file: number): void {
	const rest = restOf(file);
	if (rest.is === "torn") ftruncateSync(file, rest.from);
	if (rest.is === "whole") writeSync(file, "\n");
}

/** Throws AgentreeError("not_writable"). */
export function onDisk<T>(path: string, act: () => T): T {
	return asUserError(act, (code) => notWritable(path, adviceFor(code)));
}

/** `why`: and what to do about it. */
export function notWritable(path: string, why: string): AgentreeError {
	return new AgentreeError("not_writable", `cannot write ${path}: ${why}`);
}

function adviceFor(code: string): string {
	switch (code) {
		case "ENOENT":
			return "its directory is gone (ENOENT); was it removed during the run?";
		case "EISDIR":
			return "a directory is in its place (EISDIR); move it away";
		case "EEXIST":
			return "it already exists (EEXIST); start again";
		default:
			return adviceToPerson(code) ?? `${code}; set AGENTREE_HOME to a writable directory`;
	}
}

/** A write may take only a part. */
export function writeAll(file: number, bytes: Uint8Array): void {
	for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
}

/** Directories in a run's directory. Commands may replace them: who writes there goes through directories only, never through a link. */

/**
 * The directories between `directory`, a run's, and `path` below it, `path` too: makes those that are missing. Throws
 * AgentreeError("not_writable") for a link in place of one, through which files elsewhere would be written.
 */
export function makeDirectoriesBelow(directory: string, path: string): void {
	for (const each of between(directory, path)) {
		if (requireDirectory(each)) continue;
		makeNewPrivateDirectory(each);
	}
}

/** As `makeDirectoriesBelow`, but makes nothing. */
export function requireDirectoriesBelow(directory: string, path: string): void {
	for (const each of between(directory, path)) requireDirectory(each);
}

/** Moves what stands at `path` below `directory`, if anything does, to a new directory beside it. */
export function moveAside(directory: string, path: string): void {
	requireDirectoriesBelow(directory, dirname(path));
	onDisk(path, () => lstatSync(path, { throwIfNoEntry: false }) !== undefined && moveAway(path));
}

/** `/runs/x`, `/runs/x/1/2` → `/runs/x/1`, `/runs/x/1/2`. */
function between(directory: string, path: string): string[] {
	const names = relative(directory, path).split(sep);
	return names.map((_, index) => join(directory, ...names.slice(0, index + 1)));
}

/** False when nothing is there. */
function requireDirectory(path: string): boolean {
	const found = onDisk(path, () => lstatSync(path, { throwIfNoEntry: false }));
	if (found === undefined || found.isDirectory()) return found !== undefined;
	throw notWritable(path, `${found.isSymbolicLink() ? "it is a symbolic link" : "not a directory"}; move it away`);
}

/** Copies of files that another process may be writing: nothing is copied through a link, and a line whole or not at all. */

const LINE_FEED = 0x0a;
const CHUNK_BYTES = 256 * 1024;

/** The first `most` lines, of those that are whole now; gives how many. None where there is no such file: the copy is empty. */
export function copyLines(from: string, to: string, most: number): number {
	const source = openRegular(from);
	const copy = onDisk(to, () => openSync(to, "wx", 0o600));
	try {
		return source === undefined ? 0 : copyWholeLines(source, most, (bytes) => onDisk(to, () => writeAll(copy, bytes)));
	} finally {
		closeSync(copy);
		if (source !== undefined) closeSync(source);
	}
}

function copyWholeLines(source: number, most: number, write: (bytes: Uint8Array) => void): number {
	const { size } = fstatSync(source); // what is written meanwhile is not looked at: its writer may be faster
	const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
	let lines = 0;
	let begun: Buffer[] = [];
	for (let at = 0; at < size && lines < most; ) {
		const read = chunk.subarray(0, readSync(source, chunk, 0, Math.min(CHUNK_BYTES, size - at), at));
		if (read.length === 0) break;
		at += read.length;
		let end = 0;
		for (let next = read.indexOf(LINE_FEED); next >= 0 && lines < most; next = read.indexOf(LINE_FEED, end)) {
			end = next + 1;
			lines++;
		}
		if (end > 0) {
			for (const piece of begun.splice(0)) write(piece);
			write(read.subarray(0, end));
		}
		begun = [...begun, Buffer.from(read.subarray(end))];
	}
	return lines;
}

/** The file as it is now, sharing its blocks where the file system can do that. Leaves out what is no regular file. */
export function copyRegular(from: string, to: string): void {
	const source = openRegular(from);
	if (source === undefined) return;
	try {
		const opened = `/proc/self/fd/${source}`;
		const path = existsSync(opened) ? opened : from;
		onDisk(to, () => {
			copyFileSync(path, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
			chmodSync(to, 0o600);
		});
	} finally {
		closeSync(source);
	}
}
