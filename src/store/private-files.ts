/** Writing that nobody else may read, whatever the umask, with the disk's errors as one line that says what to do. */
import {
	chmodSync,
	closeSync,
	existsSync,
	fchmodSync,
	fstatSync,
	fsyncSync,
	ftruncateSync,
	mkdirSync,
	openSync,
	renameSync,
	writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { adviceToPerson } from "../core/errno-advice.ts";
import { AgentreeError } from "../core/errors.ts";
import { endOfLastLine } from "./file-tail.ts";

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
		chmodSync(path, 0o700);
	});
}

/** Opens for `appendLine`; a torn last line, left by a writer that died, is cut off first. */
export function openForAppend(path: string): number {
	return onDisk(path, () => {
		const file = openSync(path, "a+", 0o600);
		fchmodSync(file, 0o600);
		mend(file);
		return file;
	});
}

/** One line in one write; a line that could not be written whole is taken back. `path` is for the message. */
export function appendLine(file: number, path: string, value: object): void {
	const bytes = Buffer.from(`${JSON.stringify(value)}\n`);
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
	onDisk(path, () => {
		const temporary = `${path}.new`;
		const file = openSync(temporary, "w", 0o600);
		try {
			fchmodSync(file, 0o600);
			const bytes = Buffer.from(`${JSON.stringify(value, null, "\t")}\n`);
			for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
			beforeRename(file);
		} finally {
			closeSync(file);
		}
		renameSync(temporary, path);
	});
}

function mend(file: number): void {
	const end = endOfLastLine(file);
	if (end < fstatSync(file).size) ftruncateSync(file, end);
}

/** Throws AgentreeError("not_writable"). */
export function onDisk<T>(path: string, act: () => T): T {
	try {
		return act();
	} catch (error) {
		const code = (error as NodeJS.ErrnoException).code;
		if (code === undefined) throw error;
		throw new AgentreeError("not_writable", `cannot write ${path}: ${adviceFor(code)}`);
	}
}

function adviceFor(code: string): string {
	switch (code) {
		case "ENOENT":
			return "its directory is gone (ENOENT); was it removed while the run was alive?";
		case "EEXIST":
			return "it exists already (EEXIST); start again";
		default:
			return adviceToPerson(code) ?? `${code}; set AGENTREE_HOME to a directory that can be written`;
	}
}
