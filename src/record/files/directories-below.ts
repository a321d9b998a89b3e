/** Directories in a run's directory. Commands may replace them: who writes there goes through directories only, never through a link. */
import { lstatSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { makeNewPrivateDirectory, moveAway, notWritable, onDisk } from "./private-files.ts";

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
	throw notWritable(path, `${found.isSymbolicLink() ? "it is a symbolic link" : "it is no directory"}; move it away`);
}
