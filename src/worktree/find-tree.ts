/**
 * Which directory is the work tree of a run: that of the repository around its working directory, else this itself. Git is not
 * asked: a repository's configuration may name any directory of the machine as its tree.
 */
import { existsSync, lstatSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isAtOrBelow } from "../core/at-or-below.ts";
import { statsOf } from "../store/stats-of.ts";

/** `start`: the working directory, without links; `top`: that of the tree. */
export type FoundTree =
	| { readonly is: "tree"; readonly start: string; readonly top: string; readonly repository?: Repository }
	| { readonly is: "none"; readonly reason: string };

/** `common`: where what all work trees of the repository share lies. */
export interface Repository {
	readonly directory: string;
	readonly common: string;
}

const MAX_POINTER_BYTES = 8_192;

export function findTree(cwd: string, home: string | undefined): FoundTree {
	if (!existsSync(cwd)) return { is: "none", reason: `${cwd} is gone` };
	const start = realpathSync(cwd);
	const found = repositoryAround(start);
	if (found !== undefined && !isTooWide(found.top, home)) return { is: "tree", start, ...found };
	if (isTooWide(start, home))
		return { is: "none", reason: `${start} has more in it than a project (the home directory)` };
	return { is: "tree", start, top: start };
}

/** The root, a home, and what is above it hold files of everything else, too. */
function isTooWide(directory: string, home: string | undefined): boolean {
	if (directory === "/") return true;
	if (home === undefined || !existsSync(home)) return false;
	const real = realpathSync(home);
	return isAtOrBelow(real, directory);
}

/** `start`: an absolute path. Throws the system's error for what may not be read. */
export function repositoryAround(start: string): { top: string; repository: Repository } | undefined {
	for (let top = start; ; top = dirname(top)) {
		const directory = gitDirectoryOf(join(top, ".git"));
		if (directory !== undefined) return { top, repository: { directory, common: commonOf(directory) } };
		if (dirname(top) === top) return undefined;
	}
}

/** A repository without a tree of its own, which is its tree here (gitrepository-layout(5)). */
export function bareRepositoryAt(directory: string): { top: string; repository: Repository } | undefined {
	const isOne = ["HEAD", "objects", "refs"].every((name) => existsSync(join(directory, name)));
	return isOne ? { top: directory, repository: { directory, common: directory } } : undefined;
}

function gitDirectoryOf(path: string): string | undefined {
	const found = lstatSync(path, { throwIfNoEntry: false });
	const directory = found?.isFile() ? pointedAt(path, "gitdir: ") : path;
	return directory !== undefined && existsSync(join(directory, "HEAD")) ? directory : undefined;
}

function commonOf(directory: string): string {
	return pointedAt(join(directory, "commondir"), "") ?? directory;
}

/** The directory that a small file names, as git's files that point to a repository do. */
function pointedAt(file: string, before: string): string | undefined {
	const found = statsOf(file);
	if (found?.isFile() !== true || found.size > MAX_POINTER_BYTES) return undefined;
	const text = readFileSync(file, "utf8");
	return text.startsWith(before) ? resolve(dirname(file), text.slice(before.length).trimEnd()) : undefined;
}
