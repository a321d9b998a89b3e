/** A file changed by what is made of its text, and put back. Looked at once more when somebody else changed it meanwhile. */

import { createHash, randomBytes } from "node:crypto";
import {
	accessSync,
	chmodSync,
	chownSync,
	closeSync,
	constants,
	existsSync,
	fsyncSync,
	ftruncateSync,
	linkSync,
	lstatSync,
	mkdirSync,
	openSync,
	readFileSync,
	realpathSync,
	renameSync,
	rmSync,
	type Stats,
	statSync,
	writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { setImmediate as immediate, setTimeout as sleep } from "node:timers/promises";
import { AgentreeError } from "../../core/errors.ts";
import { errnoWords } from "../../faces/print/io.ts";
import { writeAll } from "../../record/files/private-files.ts";
import { asUserError, statsOf } from "../../record/files/regular-file.ts";
import { type FileText, fileTextOf } from "./file-text.ts";

export type Edited =
	| { readonly is: "changed"; readonly before: string; readonly after: string }
	| { readonly is: "made"; readonly after: string }
	| { readonly is: "refused"; readonly why: string };

/** The new text, in the encoding of the file, or why there is none. `undefined` stands for a file that is not there. */
export type Change = (file: FileText | undefined) => { readonly text: string } | { readonly why: string };

const MOST_TRIES = 20;

/** `now`: this machine's clock. Throws AgentreeError("not_writable"). */
export function editFile(name: string, change: Change, now: () => number): Promise<Edited> {
	if (name === "") throw new AgentreeError("usage", "the file name is empty");
	return inTurn(name, now, () => edit(name, change));
}

function edit(name: string, change: Change): Edited {
	for (let tries = 0; tries < MOST_TRIES; tries++) {
		const found = findFile(name);
		const edited = found === undefined ? make(name, change) : editFound(name, found, change);
		if (edited !== undefined) return edited;
	}
	throw new AgentreeError("not_writable", `${name}: other writers keep changing it; try again`);
}

/** Undefined when somebody has made it meanwhile. */
function make(name: string, change: Change): Edited | undefined {
	const made = change(undefined);
	if ("why" in made) return { is: "refused", why: made.why };
	return makeFile(name, Buffer.from(made.text, "utf8")) ? { is: "made", after: made.text } : undefined;
}

/** Undefined when somebody has changed the file meanwhile. */
function editFound(name: string, found: FoundFile, change: Change): Edited | undefined {
	const file = fileTextOf(found.bytes);
	if (file.is === "no_text") throw new AgentreeError("not_writable", `${name}: ${file.why}`);
	const changed = change(file);
	if ("why" in changed) return { is: "refused", why: changed.why };
	const isSame = changed.text === file.text;
	if (!isSame && !replaceFile(found, file.bytesOf(changed.text))) return undefined;
	return { is: "changed", before: file.text, after: changed.text };
}

/**
 * One process after the other changes a file: agents side by side edit the same ones. Who changes it holds a lock beside it, as git has one
 * beside its index, or among the temporary files where its directory takes none. A process that is killed leaves its lock, which is
 * removed after a while. Where there is no lock, a change by another process is still seen up to the moment of putting the new content in place.
 */

const LOOK_MS = 3;
const MOST_WAIT_MS = 10_000;
const LEFT_BEHIND_MS = 3_000; // an edit takes milliseconds

/** `now`: this machine's clock. */
async function inTurn<T>(name: string, now: () => number, act: () => T): Promise<T> {
	const lock = `.agentree-${createHash("sha256").update(identityOf(name)).digest("hex").slice(0, 16)}.lock`;
	const beside = join(dirname(pathOf(name)), lock);
	const letEnd = holdSignals();
	const held = (await taken(beside, now)) ?? (await taken(join(tmpdir(), lock), now));
	try {
		return act();
	} finally {
		if (held !== undefined) rmSync(held, { force: true });
		for (let turns = 0; turns < 2; turns++) await immediate(); // in which a signal that came meanwhile ends this process
		letEnd();
	}
}

/** Until the function that it gives is called, a signal ends this process only while it waits: a change is made whole, and its lock removed. */
function holdSignals(): () => void {
	const ends = (["SIGHUP", "SIGINT", "SIGTERM"] as const).map((signal) => {
		const end = () => void process.kill(process.pid, signal); // which has its usual meaning again
		process.once(signal, end);
		return () => void process.off(signal, end);
	});
	return () => {
		for (const off of ends) off();
	};
}

/** The path of the lock; undefined when it cannot be made. */
async function taken(path: string, now: () => number): Promise<string | undefined> {
	for (let waited = 0; waited < MOST_WAIT_MS; waited += LOOK_MS) {
		try {
			closeSync(openSync(path, "wx", 0o600));
			return path;
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code !== "EEXIST") return undefined;
		}
		const madeAt = lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY;
		if (now() - madeAt > LEFT_BEHIND_MS) rmSync(path, { force: true });
		else await sleep(LOOK_MS);
	}
	return undefined;
}

/**
 * A file of the work tree, read and put back whole. A reader sees the old or the new content, never a part: the new one is
 * written beside it and takes its name. The mode and the owner stay; a file with several names is written in place, since
 * its other names would keep the old content, and so is one whose owner or group this user cannot give away.
 */

/** Larger ones are not for editing by blocks of text. */
const MOST_BYTES = 64 * 1024 * 1024;

interface FoundFile {
	/** Where it really lies, behind links. */
	readonly path: string;
	readonly bytes: Buffer;
	/** Tells whether somebody has changed it since. */
	readonly stamp: string;
}

/** Where it really lies, or would lie. */
function pathOf(name: string): string {
	try {
		return realpathSync(name);
	} catch {
		return resolve(name);
	}
}

/** The same for all names of one file: where it lies; for one with several names (hard links) its number. */
function identityOf(name: string): string {
	const stats = statsOf(name);
	return stats !== undefined && stats.nlink > 1 ? `${stats.dev}:${stats.ino}` : pathOf(name);
}

/** Undefined when there is no such file. Throws AgentreeError("not_writable"). */
function findFile(name: string): FoundFile | undefined {
	return onDisk(name, () => {
		const stats = statSync(name, { throwIfNoEntry: false });
		if (stats === undefined && isLink(name)) throw notEditable(name, "it is a broken link");
		if (stats === undefined) return undefined;
		if (!stats.isFile())
			throw notEditable(name, stats.isDirectory() ? "it is a directory" : "it is not a regular file");
		if (stats.size > MOST_BYTES) throw notEditable(name, `it has more than ${MOST_BYTES / 1024 / 1024} MiB`);
		accessSync(name, constants.W_OK);
		const path = realpathSync(name);
		return { path, bytes: readFileSync(path), stamp: stampOf(statSync(path)) };
	});
}

function isLink(name: string): boolean {
	return lstatSync(name, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

/** Puts the bytes in the place of what was found. False when somebody has changed the file meanwhile: nothing is written then. */
function replaceFile(found: FoundFile, bytes: Buffer): boolean {
	return onDisk(found.path, () => {
		const stats = statSync(found.path);
		const isAsFound = () => stampOf(statSync(found.path)) === found.stamp;
		if (stats.nlink === 1 && mayWriteBeside(found.path)) {
			const put = putBeside(found.path, bytes, { stats, isAsFound });
			if (put !== "not_owned") return put === "put";
		}
		if (!isAsFound()) return false;
		writeInPlace(found, bytes);
		return true;
	});
}

/** Over what is there, which is cut off last: where the disk is full, the old content has its room still, and comes back. */
function writeInPlace({ path, bytes: before }: FoundFile, bytes: Buffer): void {
	const file = openSync(path, "r+");
	try {
		writeAt(file, bytes);
		ftruncateSync(file, bytes.length);
	} catch (error) {
		writeAt(file, before);
		ftruncateSync(file, before.length);
		throw error;
	} finally {
		closeSync(file);
	}
}

function writeAt(file: number, bytes: Buffer): void {
	for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, bytes.length - at, at);
}

/** Makes a file that is not there, with the directories on the way to it: whole, or not at all. False when somebody has made it meanwhile. */
function makeFile(name: string, bytes: Buffer): boolean {
	return onDisk(name, () => {
		if (/\/$/.test(name)) throw notEditable(name, "a file name cannot end with /");
		mkdirSync(dirname(resolve(name)), { recursive: true });
		const temporary = temporaryBeside(name);
		try {
			writeNew(temporary, bytes, 0o666);
			return putAsNew(temporary, name);
		} finally {
			rmSync(temporary, { force: true });
		}
	});
}

/** A new name never takes the place of a file that somebody has made meanwhile; where there are no such names, nearly never. */
function putAsNew(temporary: string, name: string): boolean {
	try {
		linkSync(temporary, name);
	} catch (error) {
		const { code = "" } = error as NodeJS.ErrnoException;
		if (code === "EEXIST") return false;
		if (!/^(?:EPERM|ENOTSUP|EOPNOTSUPP|ENOSYS)$/.test(code)) throw error;
		if (existsSync(name)) return false;
		renameSync(temporary, name);
	}
	return true;
}

/** Its name is short: that of the file may be as long as a name can be. */
function temporaryBeside(path: string): string {
	return join(dirname(path), `.agentree-${randomBytes(6).toString("hex")}.tmp`);
}

function writeNew(path: string, bytes: Buffer, mode: number): void {
	const file = openSync(path, "wx", mode);
	try {
		writeAll(file, bytes);
		fsyncSync(file);
	} finally {
		closeSync(file);
	}
}

interface Expected {
	readonly stats: Stats;
	readonly isAsFound: () => boolean;
}

/** `not_owned`: the owner of the file could not be kept. */
function putBeside(
	path: string,
	bytes: Buffer,
	{ stats: { mode, uid, gid }, isAsFound }: Expected,
): "put" | "changed" | "not_owned" {
	const temporary = temporaryBeside(path);
	try {
		writeNew(temporary, bytes, 0o600);
		const own = statSync(temporary);
		if ((own.uid !== uid || own.gid !== gid) && !isGiven(temporary, uid, gid)) return "not_owned";
		chmodSync(temporary, mode & 0o7777);
		if (!isAsFound()) return "changed";
		renameSync(temporary, path);
		return "put";
	} finally {
		rmSync(temporary, { force: true });
	}
}

function isGiven(path: string, uid: number, gid: number): boolean {
	try {
		chownSync(path, uid, gid);
		return true;
	} catch {
		return false;
	}
}

function mayWriteBeside(path: string): boolean {
	try {
		accessSync(dirname(path), constants.W_OK);
		return true;
	} catch {
		return false;
	}
}

function stampOf({ ino, size, mtimeMs, ctimeMs }: Stats): string {
	return [ino, size, mtimeMs, ctimeMs].join(" ");
}

function onDisk<T>(name: string, act: () => T): T {
	return asUserError(act, (code) => notEditable(name, errnoWords(code)));
}

function notEditable(name: string, why: string): AgentreeError {
	return new AgentreeError("not_writable", `${name}: ${why}`);
}
