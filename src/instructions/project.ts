/** The project that a directory belongs to: the directory tree whose files may tell agents how to work there. */
import { lstatSync, realpathSync, type Stats, statSync } from "node:fs";
import { dirname, join } from "node:path";

const MAX_DIRECTORIES = 64;

export interface Project {
	/** Without links. */
	readonly root: string;
	/** From the root down to the directory, without links. */
	readonly directories: readonly string[];
}

export interface ProjectBounds {
	/** The user's home: one repository there is not that of all that lies below it. */
	readonly home?: string | undefined;
	/** Directories that are a project's root whether they have a repository or not. */
	readonly roots?: readonly string[];
}

/**
 * The nearest directory upward that has a repository (.git, a directory or a file) is the root; without one the directory
 * itself is. The search ends below the home directory, and passes over what everyone may write to, as /tmp: anybody could put a
 * repository there. Undefined for what is no directory.
 */
export function projectOf(directory: string, bounds: ProjectBounds = {}): Project | undefined {
	const path = realPath(directory);
	if (path === undefined || !isDirectory(path)) return undefined;
	const root = rootAbove(path, { ...bounds, home: realPath(bounds.home ?? "") }) ?? path;
	return { root, directories: [...directoriesDownTo(path, root)].reverse().slice(-MAX_DIRECTORIES) };
}

/** The path without links; undefined when it leads nowhere. */
export function realPath(path: string): string | undefined {
	try {
		return path === "" ? undefined : realpathSync(path);
	} catch {
		return undefined;
	}
}

function rootAbove(path: string, { home, roots = [] }: ProjectBounds): string | undefined {
	for (const at of directoriesDownTo(path, "/")) {
		const isOwn = at === path;
		if (at === "/" || (at === home && !isOwn)) return undefined;
		if (roots.includes(at) || (has(at, ".git") && (isOwn || !isOpenToAll(at)))) return at;
	}
	return undefined;
}

/** The nearest first. */
function* directoriesDownTo(path: string, root: string): Generator<string> {
	for (let at = path; ; at = dirname(at)) {
		yield at;
		if (at === root || at === dirname(at)) return;
	}
}

function has(directory: string, name: string): boolean {
	try {
		return lstatSync(join(directory, name), { throwIfNoEntry: false }) !== undefined;
	} catch {
		return false; // a directory that may not be entered
	}
}

function isOpenToAll(directory: string): boolean {
	const found = statOf(directory);
	return found === undefined || (found.mode & 0o002) !== 0;
}

function isDirectory(path: string): boolean {
	return statOf(path)?.isDirectory() === true;
}

/** Undefined when it is gone meanwhile, or may not be looked at. */
function statOf(path: string): Stats | undefined {
	try {
		return statSync(path);
	} catch {
		return undefined;
	}
}
