/**
 * Changes single files of a tree, and nothing outside of it: each directory on the way is opened in the one above it, and none
 * is a link, so that no rename leads elsewhere. Node can do that by way of /proc alone; where there is none the names are used.
 */
import {
	closeSync,
	constants,
	existsSync,
	fchmodSync,
	fchownSync,
	lstatSync,
	mkdirSync,
	openSync,
	renameSync,
	symlinkSync,
	unlinkSync,
} from "node:fs";
import { writeAll } from "../../record/files/private-files.ts";

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_DIRECTORY, O_NOFOLLOW } = constants;

/** A name in an open directory, as paths for calls of the system, which are good while that is open. */
export interface Place {
	readonly path: Buffer;
	/** Of another name in the same directory. */
	readonly temporary: Buffer;
}

interface How<T> {
	/** Makes the directories on the way that are missing. */
	readonly makes: boolean;
	/** A name that nothing has. */
	readonly temporary: string;
	readonly act: (place: Place) => T;
}

/** Throws the system's error when a directory on the way is none, or is missing. */
export function within<T>(top: string, path: string, { makes, temporary, act }: How<T>): T {
	const names = path.split("/").map((name) => Buffer.from(name, "latin1"));
	const last = names.pop() ?? Buffer.alloc(0);
	let above = Buffer.from(top) as Buffer;
	let open = openSync(above, O_RDONLY | O_DIRECTORY);
	const inOpen = (name: Buffer) => {
		const here = `/proc/self/fd/${open}`;
		return under(existsSync(here) ? Buffer.from(here) : above, name);
	};
	try {
		for (const name of names) {
			const directory = inOpen(name);
			if (makes && stampAt(directory) === undefined) mkdirSync(directory);
			const inner = openSync(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
			closeSync(open);
			open = inner;
			above = under(above, name);
		}
		return act({ path: inOpen(last), temporary: inOpen(Buffer.from(temporary)) });
	} finally {
		closeSync(open);
	}
}

function under(directory: Buffer, name: Buffer): Buffer {
	return Buffer.concat([directory, Buffer.from("/"), name]);
}

/** What stands at a path. `text` tells whether it is the same, unchanged. */
export interface Stamp {
	readonly is: "file" | "link" | "directory" | "other";
	readonly text: string;
	readonly uid: number;
	readonly gid: number;
}

/** Undefined: nothing. */
export function stampAt(path: Buffer): Stamp | undefined {
	const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
	if (stats === undefined) return undefined;
	const { dev, ino, size, mode, mtimeNs, ctimeNs, uid, gid } = stats;
	const is = stats.isFile() ? "file" : stats.isSymbolicLink() ? "link" : stats.isDirectory() ? "directory" : "other";
	const text = [dev, ino, size, mode, mtimeNs, ctimeNs].join(" ");
	return { is, text, uid: Number(uid), gid: Number(gid) };
}

/** The content comes whole, or not at all. The owner of what is replaced stays, or it throws. */
export function putFile(
	place: Place,
	bytes: Buffer,
	{ mode, before }: { mode: number; before: Stamp | undefined },
): void {
	const file = openSync(place.temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
	try {
		writeAll(file, bytes);
		const own = stampAt(place.temporary);
		if (before !== undefined && (before.uid !== own?.uid || before.gid !== own.gid))
			fchownSync(file, before.uid, before.gid);
		fchmodSync(file, mode);
		rename(place);
	} catch (error) {
		removeIfThere(place.temporary);
		throw error;
	} finally {
		closeSync(file);
	}
}

export function putLink(place: Place, target: Buffer): void {
	symlinkSync(target, place.temporary);
	try {
		rename(place);
	} catch (error) {
		removeIfThere(place.temporary);
		throw error;
	}
}

function rename({ temporary, path }: Place): void {
	renameSync(temporary, path);
}

function removeIfThere(path: Buffer): void {
	try {
		unlinkSync(path);
	} catch {}
}
