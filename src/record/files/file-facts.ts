/** What lies at a path. Where nobody can tell, there is nothing: no caller has to catch. */
import { type Dirent, lstatSync, readdirSync, realpathSync, type Stats, statSync } from "node:fs";

/** What lies in a directory; nothing in what is not there, is none, or may not be read. */
export function entriesIn(directory: string): Dirent[] {
	try {
		return readdirSync(directory, { withFileTypes: true });
	} catch {
		return [];
	}
}

/** Their names. */
export function namesIn(directory: string): string[] {
	try {
		return readdirSync(directory);
	} catch {
		return [];
	}
}

/** Of what a path leads to; undefined for nothing, and where nobody can tell: a link to itself, a directory that may not be entered. */
export function statsOf(path: string): Stats | undefined {
	try {
		return statSync(path);
	} catch {
		return undefined;
	}
}

/** Of what lies at a path itself; undefined for nothing, and where nobody can tell: in what is no directory, or may not be entered. */
export function linkStatsOf(path: string): Stats | undefined {
	try {
		return lstatSync(path);
	} catch {
		return undefined;
	}
}

/** The path without links; undefined when it leads nowhere, or nobody can tell where. */
export function realPath(path: string): string | undefined {
	try {
		return path === "" ? undefined : realpathSync.native(path);
	} catch {
		return undefined;
	}
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
