/**
 * Whether a repository elsewhere is that of the work tree whose `.git` leads to it: anybody can make such a file or link, and agents
 * that work in the tree may write to its repository.
 */

import { readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { isAtOrBelow } from "../../core/machine/paths.ts";
import { namesIn, realPath, statsOf } from "../../record/files/regular-file.ts";
import type { Repository } from "../repository-around.ts";

/**
 * The directories of the repository where they are the work tree's own, without links: those in it, and those elsewhere that no other
 * tree has. One in the tree that leads to another elsewhere may have been made by an agent. A linked work tree (git-worktree(1)) and a submodule are named by theirs in turn. `repo` keeps repositories, and parts of
 * them, in `.repo` of a directory above.
 */
export function ownRepository({ top, repository }: { top: string; repository: Repository }): string[] {
	const directory = realPath(repository.directory);
	const common = realPath(repository.common);
	if (directory === undefined || common === undefined) return [];
	if (isAtOrBelow(directory, top)) {
		if (!isAtOrBelow(common, top)) return []; // whoever writes in the tree can make such a directory
	} else if (!isNamedBy(directory, top) && isOfAnother(directory, common)) return [];
	const both = [...new Set([directory, common])];
	return [...new Set([...both, ...both.flatMap((each) => partsInRepo(each, top))])];
}

/** That of another work tree, or nobody can tell; undefined: there is none such. */
export function foreignRepository(found: { top: string; repository: Repository }): string | undefined {
	return ownRepository(found).length > 0 ? undefined : realPath(found.repository.common);
}

/** The tree is the one that the repository names. */
function isNamedBy(directory: string, top: string): boolean {
	const linked = textOf(join(directory, "gitdir"))?.trimEnd();
	if (linked !== undefined) return realPath(resolve(directory, linked)) === join(top, ".git");
	const named = workTreeOf(directory);
	return named === undefined ? isSubmodule(directory, top) : realPath(resolve(directory, named)) === top;
}

function isSubmodule(directory: string, top: string): boolean {
	for (let above = dirname(top); ; above = dirname(above)) {
		if (directory.startsWith(`${above === "/" ? "" : above}/.git/modules/`)) return true;
		if (above === dirname(above)) return false;
	}
}

/** It names another tree or none (a bare one), or lies in one. */
function isOfAnother(directory: string, common: string): boolean {
	if (directory !== common || workTreeOf(directory) !== undefined || directory.includes("/.git/")) return true;
	if (/^\s*bare\s*=\s*(true|yes|on|1)\s*$/im.test(textOf(join(directory, "config")) ?? "")) return true;
	return basename(directory) === ".git" && namesIn(dirname(directory)).length > 1;
}

/** git-config(1), core.worktree: from the repository's directory. */
function workTreeOf(directory: string): string | undefined {
	const [, named] = /^\s*worktree\s*=\s*"?([^"\n]+?)"?\s*$/im.exec(textOf(join(directory, "config")) ?? "") ?? [];
	return named;
}

/** What `repo` keeps elsewhere in its own directory, by links: objects for all checkouts of a repository, and what else they share. */
const PARTS = ["objects", "refs", "logs", "info", "packed-refs", "rr-cache", "shallow", "svn"];

function partsInRepo(directory: string, top: string): string[] {
	const parts = PARTS.flatMap((name) => realPath(join(directory, name)) ?? []);
	const elsewhere = parts.filter((path) => !isAtOrBelow(path, directory)).map((path) => dirname(path));
	return elsewhere.filter((path) => {
		const at = path.indexOf("/.repo/");
		return at > 0 && isAtOrBelow(top, path.slice(0, at)) && statsOf(path)?.isDirectory() === true;
	});
}

function textOf(path: string): string | undefined {
	try {
		return readFileSync(path, "utf8");
	} catch {
		return undefined; // most have none
	}
}
