/** The directory that a repository has for a worktree of an agent: `.git/worktrees/NAME`. */
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import type { OwnWorktree } from "../../core/schemas/own-worktree.ts";
import { repositoryAround } from "../repository-around.ts";

/**
 * Undefined when the worktree is not tied to it any more as git ties them: an agent can change the files that do so, and git that is
 * run there would heed another configuration.
 */
export function entryOfWorktree({ path, repository }: OwnWorktree): string | undefined {
	try {
		const around = repositoryAround(path);
		if (around?.top !== path || around.repository.common !== repository) return undefined;
		const { directory } = around.repository;
		const isEntry = dirname(directory) === join(repository, "worktrees");
		const named = resolve(directory, readFileSync(join(directory, "gitdir"), "utf8").trimEnd());
		return isEntry && named === join(path, ".git") && !hasOwnCommands(directory, repository) ? directory : undefined;
	} catch {
		return undefined; // something of it is gone
	}
}

/** What git puts into the configuration of a worktree itself: for a sparse checkout, and as a copy of that of the repository. */
const HARMLESS = /^\s*(\[core\]|\[(index|extensions)\]|(sparse\w*|bare|worktreeconfig|partialclone)\s*=\s*\w+)?\s*$/i;

function hasOwnCommands(directory: string, repository: string): boolean {
	const own = linesOf(join(directory, "config.worktree"));
	const shared = new Set(linesOf(join(repository, "config.worktree")));
	return !own.every((line) => HARMLESS.test(line) || shared.has(line));
}

function linesOf(path: string): string[] {
	try {
		return readFileSync(path, "utf8").split("\n");
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
		throw error;
	}
}

/** Whether the directory is that of which the agent's directory in its worktree is a copy. */
export function isWorktreeOf({ path, cwd, origin }: OwnWorktree, directory: string): boolean {
	return existsSync(directory) && realpathSync(directory) === join(origin, relative(path, cwd));
}
