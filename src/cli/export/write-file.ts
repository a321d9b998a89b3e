/**
 * A file that a person names, written whole or not at all: a hidden file beside it gets what is written, and takes its name
 * at the end. It is private: mode 0600, less what the umask takes.
 */
import { randomBytes } from "node:crypto";
import { closeSync, linkSync, lstatSync, openSync, renameSync, rmSync } from "node:fs";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { AgentreeError } from "../../core/errors.ts";
import { errnoWords } from "../../faces/print/io.ts";
import { writeAll } from "../../record/files/private-files.ts";
import { asUserError } from "../../record/files/regular-file.ts";

const CHUNK_CHARS = 256 * 1024;
const ENDING = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

const EXISTS = "it already exists; to overwrite: --force";

/** Throws AgentreeError("not_writable") where `writeFile` would refuse it, before any work is done. */
export function checkFile(path: string, mayReplace: boolean): void {
	const found = onDisk(path, () => lstatSync(path, { throwIfNoEntry: false }));
	if (found === undefined) return;
	if (!mayReplace) throw notWritable(path, EXISTS);
	if (!found.isFile())
		throw notWritable(path, "it is not a regular file, and --force overwrites only regular files (-: stdout)");
}

/** Takes one piece after the other. Gives the size in bytes; throws AgentreeError("not_writable"). */
export async function writeFile(path: string, pieces: Iterable<string>, mayReplace: boolean): Promise<number> {
	checkFile(path, mayReplace);
	const temporary = join(dirname(path), `.agentree-${randomBytes(6).toString("hex")}.tmp`);
	const file = onDisk(path, () => openSync(temporary, "wx", 0o600));
	const remove = () => rmSync(temporary, { force: true });
	const listening = removeOnSignal(remove);
	try {
		const bytes = await writePieces(file, path, pieces);
		onDisk(path, () => (mayReplace ? renameSync(temporary, path) : putNew(temporary, path)));
		return bytes;
	} finally {
		remove();
		listening.stop();
	}
}

/** What was written of a file is removed before Ctrl-C or its like ends this process. */
function removeOnSignal(remove: () => void): { stop: () => void } {
	const end = (signal: NodeJS.Signals) => {
		remove();
		process.exit(128 + constants.signals[signal]);
	};
	for (const signal of ENDING) process.once(signal, end);
	return {
		stop: () => {
			for (const signal of ENDING) process.off(signal, end);
		},
	};
}

async function writePieces(file: number, path: string, pieces: Iterable<string>): Promise<number> {
	let bytes = 0;
	let chunk = "";
	const write = async () => {
		const buffer = Buffer.from(chunk);
		onDisk(path, () => writeAll(file, buffer));
		bytes += buffer.length;
		chunk = "";
		await setImmediate(); // for signals
	};
	try {
		for (const piece of pieces) {
			chunk += piece;
			if (chunk.length >= CHUNK_CHARS) await write();
		}
		await write();
		return bytes;
	} finally {
		closeSync(file);
	}
}

/** A link fails where the name has been taken meanwhile, as a rename does not. Some file systems know no links. */
function putNew(temporary: string, path: string): void {
	try {
		linkSync(temporary, path);
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		if (code !== "EPERM" && code !== "ENOTSUP" && code !== "EOPNOTSUPP" && code !== "ENOSYS") throw error;
		checkFile(path, false);
		renameSync(temporary, path);
	}
}

function onDisk<T>(path: string, act: () => T): T {
	return asUserError(act, (code) => notWritable(path, code === "EEXIST" ? EXISTS : errnoWords(code)));
}

function notWritable(path: string, why: string): AgentreeError {
	return new AgentreeError("not_writable", `cannot write ${path}: ${why}`);
}
