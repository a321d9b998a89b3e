/** Looks at files of a tree, in slices: whoever does it holds a conversation. No link is followed, not even on the way. */
import { accessSync, constants, lstatSync, type Stats } from "node:fs";
import { setImmediate } from "node:timers/promises";
import type { Seen } from "./plan-keep.ts";

const SLICE = 500; // some milliseconds

export async function lookAt(top: string, paths: readonly string[]): Promise<Seen[]> {
	const seen: Seen[] = [];
	const directories = new Map<string, boolean>();
	for (let at = 0; at < paths.length; at += SLICE) {
		seen.push(...paths.slice(at, at + SLICE).map((path) => lookAtOne(top, path, directories)));
		await setImmediate();
	}
	return seen;
}

/** Where the path lies, for calls of the system. */
export function placeOf(top: string, path: string): Buffer {
	return Buffer.concat([Buffer.from(`${top}/`), Buffer.from(path, "latin1")]);
}

function statsAt(place: Buffer): Stats | undefined {
	try {
		return lstatSync(place, { throwIfNoEntry: false });
	} catch {
		return undefined; // a file is in the place of a directory above it, or that may not be entered
	}
}

function lookAtOne(top: string, path: string, directories: Map<string, boolean>): Seen {
	const place = placeOf(top, path);
	const stats = isWithinDirectories(top, path, directories) ? statsAt(place) : undefined;
	if (stats === undefined || stats.isDirectory()) return { is: "gone", path };
	if (stats.isSymbolicLink()) return { is: "link", path };
	if (!stats.isFile()) return { is: "special", path };
	if (!isReadable(place)) return { is: "not_readable", path };
	return { is: "file", path, bytes: stats.size, mode: stats.mode & 0o7777, changedAt: stats.ctimeMs };
}

function isWithinDirectories(top: string, path: string, known: Map<string, boolean>): boolean {
	const end = path.lastIndexOf("/");
	if (end < 0) return true;
	const directory = path.slice(0, end);
	const before = known.get(directory);
	if (before !== undefined) return before;
	const is = isWithinDirectories(top, directory, known) && statsAt(placeOf(top, directory))?.isDirectory() === true;
	known.set(directory, is);
	return is;
}

function isReadable(place: Buffer): boolean {
	try {
		accessSync(place, constants.R_OK);
		return true;
	} catch {
		return false;
	}
}
