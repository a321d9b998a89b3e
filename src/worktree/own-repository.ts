/** Whether a repository that a `.git` file names is that of the work tree in which the file lies: anybody can write one. */
import { readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Repository } from "./find-tree.ts";

/**
 * The directories of the repository that are the work tree's own, without links: those in it, and those of a linked work tree
 * (git-worktree(1): its `gitdir` names the file) or a submodule (in the `.git` of what lies around it) that name it in turn.
 */
export function ownRepository({ top, repository }: { top: string; repository: Repository }): string[] {
	const directory = realOrNone(repository.directory);
	const common = realOrNone(repository.common);
	if (directory === undefined || common === undefined) return [];
	const isOwn =
		directory === top || directory === join(top, ".git") || isLinked(directory, top) || isSubmodule(directory, top);
	return isOwn ? [...new Set([directory, common])] : [];
}

function isLinked(directory: string, top: string): boolean {
	try {
		return realpathSync(readFileSync(join(directory, "gitdir"), "utf8").trimEnd()) === join(top, ".git");
	} catch {
		return false;
	}
}

function isSubmodule(directory: string, top: string): boolean {
	for (let above = dirname(top); ; above = dirname(above)) {
		if (directory.startsWith(`${above === "/" ? "" : above}/.git/modules/`)) return true;
		if (above === dirname(above)) return false;
	}
}

function realOrNone(path: string): string | undefined {
	try {
		return realpathSync(path);
	} catch {
		return undefined;
	}
}
