/** The branch that is checked out in a directory, from git's own files: no process is started for a status line. */
import { readFileSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";

const MAX_LEVELS = 64;
const SHORT_COMMIT = 7;

/** A commit's beginning where no branch is checked out; undefined outside of a repository. */
export function gitBranch(directory: string): string | undefined {
	const git = gitDirectory(directory);
	const head = git === undefined ? undefined : textOf(join(git, "HEAD"))?.trim();
	if (head === undefined) return undefined;
	const [, branch] = /^ref: refs\/heads\/(.+)$/.exec(head) ?? [];
	return branch ?? head.slice(0, SHORT_COMMIT);
}

function gitDirectory(from: string): string | undefined {
	let directory = from;
	for (let level = 0; level < MAX_LEVELS; level++) {
		const path = join(directory, ".git");
		const found = statSync(path, { throwIfNoEntry: false });
		if (found?.isDirectory()) return path;
		if (found?.isFile()) return linked(path, directory); // of a worktree, or a submodule
		if (dirname(directory) === directory) return undefined;
		directory = dirname(directory);
	}
	return undefined;
}

function linked(path: string, directory: string): string | undefined {
	const [, target] = /^gitdir: (.+)$/m.exec(textOf(path) ?? "") ?? [];
	if (target === undefined) return undefined;
	return isAbsolute(target) ? target : resolve(directory, target);
}

function textOf(path: string): string | undefined {
	try {
		return readFileSync(path, "utf8");
	} catch {
		return undefined;
	}
}
