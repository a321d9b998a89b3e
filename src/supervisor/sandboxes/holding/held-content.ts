/** What lies at a place that is held: read, kept beside, put back. A command may have put anything there: no link is followed, and nobody waits. */
import {
	type BigIntStats,
	closeSync,
	constants,
	fchmodSync,
	fstatSync,
	ftruncateSync,
	lstatSync,
	mkdirSync,
	openSync,
	readdirSync,
	readFileSync,
	readlinkSync,
	symlinkSync,
	unlinkSync,
	writeFileSync,
	writeSync,
} from "node:fs";
import { basename, join } from "node:path";

export type Content =
	| { readonly is: "file"; readonly bytes: Buffer; readonly mode: number }
	| { readonly is: "link"; readonly target: string }
	/** A directory, a device, or too large. */
	| { readonly is: "not held" };

const MOST_BYTES = 512 * 1024;
const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK } = constants;

interface Identity {
	readonly inode: string;
	readonly state: string;
	/** By which a file can be written to where no mount keeps it. */
	readonly hasOtherName: boolean;
}

/** Undefined: nothing is there, also where a directory above has become a file. Of a directory that of itself, not of what is in it. */
export function identityOf(path: string): Identity | undefined {
	const stats = statsOf(path);
	if (stats === undefined) return undefined;
	const inode = `${stats.dev}:${stats.ino}`;
	if (stats.isDirectory()) return { inode, state: inode, hasOtherName: false };
	const state = `${inode}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}`;
	return { inode, state, hasOtherName: stats.isFile() && stats.nlink > 1n };
}

function statsOf(path: string): BigIntStats | undefined {
	try {
		return lstatSync(path, { bigint: true });
	} catch {
		return undefined;
	}
}

export function readContent(path: string): Content | undefined {
	const stats = statsOf(path);
	if (stats === undefined) return undefined;
	try {
		if (stats.isSymbolicLink()) return { is: "link", target: readlinkSync(path) };
		if (!stats.isFile()) return { is: "not held" };
		return readFile(path);
	} catch {
		return { is: "not held" }; // nobody may read it, or it has become something else
	}
}

function readFile(path: string): Content {
	const file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
	try {
		const stats = fstatSync(file);
		if (!stats.isFile() || stats.size > MOST_BYTES) return { is: "not held" };
		return { is: "file", bytes: readFileSync(file), mode: stats.mode & 0o7777 };
	} finally {
		closeSync(file);
	}
}

export function isSameContent(one: Content, other: Content): boolean {
	if (one.is === "link") return other.is === "link" && one.target === other.target;
	return one.is === "file" && other.is === "file" && one.bytes.equals(other.bytes);
}

/** Gives the path of the copy, in `directory`. Throws the system's error. */
export function keepBeside(path: string, content: Exclude<Content, { is: "not held" }>, directory: string): string {
	mkdirSync(directory, { recursive: true, mode: 0o700 });
	const copy = join(directory, `${readdirSync(directory).length + 1}-${basename(path)}`);
	writeFileSync(copy, content.is === "file" ? content.bytes : content.target, { mode: 0o600, flag: "wx" });
	return copy;
}

/** A file is written in place: what is mounted on it stays. Throws the system's error. */
export function putBack(path: string, content: Exclude<Content, { is: "not held" }>): void {
	const there = lstatSync(path, { throwIfNoEntry: false });
	const isOwn = content.is === "file" && there?.isFile() && there.nlink === 1; // not a second name of something else
	if (there !== undefined && !isOwn) unlinkSync(path);
	if (content.is === "link") return symlinkSync(content.target, path);
	const file = openSync(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | (isOwn ? 0 : O_CREAT | O_EXCL), content.mode);
	try {
		writeSync(file, content.bytes, 0, content.bytes.length, 0);
		ftruncateSync(file, content.bytes.length);
		fchmodSync(file, content.mode);
	} finally {
		closeSync(file);
	}
}
