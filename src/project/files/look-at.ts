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

/** `hidden`: nobody can tell, since a directory above it may not be entered, for instance. */
function statsAt(place: Buffer): Stats | "hidden" | undefined {
	try {
		return lstatSync(place, { throwIfNoEntry: false });
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === "ENOTDIR" ? undefined : "hidden";
	}
}

function lookAtOne(top: string, path: string, directories: Map<string, boolean>): Seen {
	const place = placeOf(top, path);
	const stats = isWithinDirectories(top, path, directories) ? statsAt(place) : undefined;
	if (stats === "hidden") return { is: "not_readable", path };
	if (stats === undefined || stats.isDirectory()) return { is: "gone", path };
	if (stats.isSymbolicLink()) return { is: "link", path };
	if (!stats.isFile()) return { is: "special", path };
	if (!isReadable(place)) return { is: "not_readable", path };
	return { is: "file", path, bytes: stats.size, mode: stats.mode & 0o7777 };
}

function isWithinDirectories(top: string, path: string, known: Map<string, boolean>): boolean {
	const end = path.lastIndexOf("/");
	if (end < 0) return true;
	const directory = path.slice(0, end);
	const before = known.get(directory);
	if (before !== undefined) return before;
	const is = isWithinDirectories(top, directory, known) && mayBeDirectory(statsAt(placeOf(top, directory)));
	known.set(directory, is);
	return is;
}

function mayBeDirectory(stats: ReturnType<typeof statsAt>): boolean {
	return stats === "hidden" || stats?.isDirectory() === true;
}

function isReadable(place: Buffer): boolean {
	try {
		accessSync(place, constants.R_OK);
		return true;
	} catch {
		return false;
	}
}
