/** The repository around a directory, as git finds it. Git is not asked: a configuration may name any directory as its tree. */
import { existsSync, lstatSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { isAtOrBelow } from "../core/machine/paths.ts";
import { namesIn, realPath, statsOf } from "../record/files/regular-file.ts";

/** `common`: where what all work trees of the repository share lies. */
export interface Repository {
	readonly directory: string;
	readonly common: string;
}

const MAX_POINTER_BYTES = 8_192;

/** As git finds it. `start`: an absolute path without links. Throws the system's error for what may not be read. */
export function repositoryAround(start: string): { top: string; repository: Repository } | undefined {
	for (let top = start; ; top = dirname(top)) {
		const found = repositoryOf(join(top, ".git"));
		if (found.is === "broken") return undefined;
		if (found.is === "one") return { top, repository: found.repository };
		if (dirname(top) === top) return undefined;
	}
}

/** Whoever starts the run, or git for a hook, has named it for git in all directories (git(1), GIT_DIR). */
export function repositoryNamedBy(
	{ GIT_DIR }: Readonly<Record<string, string | undefined>>,
	start: string,
): Repository | undefined {
	if (GIT_DIR === undefined || GIT_DIR === "") return undefined;
	const found = repositoryOf(resolve(start, GIT_DIR));
	return found.is === "one" ? found.repository : undefined;
}

/** A repository without a tree of its own, which is its tree here (gitrepository-layout(5)). */
export function bareRepositoryAt(directory: string): { top: string; repository: Repository } | undefined {
	return isRepository(directory, directory)
		? { top: directory, repository: { directory, common: directory } }
		: undefined;
}

/** `broken`: a file that names none, with which git gives up. */
type FoundRepository =
	| { readonly is: "one"; readonly repository: Repository }
	| { readonly is: "none" }
	| { readonly is: "broken" };

/** `path`: a directory, a file that names one, or a link to either. */
function repositoryOf(path: string): FoundRepository {
	const isFile = statsOf(path)?.isFile() === true;
	const directory = isFile ? pointedAt(path, "gitdir: ") : path;
	if (directory === undefined) return { is: "broken" };
	const common = pointedAt(join(directory, "commondir"), "") ?? directory;
	if (isRepository(directory, common)) return { is: "one", repository: { directory, common } };
	return { is: isFile ? "broken" : "none" };
}

function isRepository(directory: string, common: string): boolean {
	const isDirectory = (name: string) => statsOf(join(common, name))?.isDirectory() === true;
	if (!isDirectory("objects") || !isDirectory("refs")) return false;
	return hasHead(directory);
}

/** A branch without a commit may have a link there that leads nowhere. */
export function hasHead(directory: string): boolean {
	try {
		return lstatSync(join(directory, "HEAD"), { throwIfNoEntry: false }) !== undefined;
	} catch {
		return false; // it may not be entered
	}
}

/** The directory that a small file names, as git's files that point to a repository do. */
function pointedAt(file: string, before: string): string | undefined {
	const found = statsOf(file);
	if (found?.isFile() !== true || found.size > MAX_POINTER_BYTES) return undefined;
	const text = readableText(file);
	return text?.startsWith(before) ? resolve(dirname(file), text.slice(before.length).trimEnd()) : undefined;
}

/** Git goes on with no such file either. */
function readableText(file: string): string | undefined {
	try {
		return readFileSync(file, "utf8");
	} catch {
		return undefined; // another user's
	}
}

const IGNORES = ".gitignore";

/** A state directory in a repository is no part of that: neither `git status` nor `git add .` is to have it. */
export function keepFromGit(home: string): void {
	try {
		if (repositoryAround(realpathSync(home)) === undefined) return;
		writeFileSync(join(home, IGNORES), "*\n", { flag: "wx", mode: 0o600 });
	} catch {
		// it has one already, or takes nothing, which the run itself says
	}
}

/** That file, where there is one: a sandbox that hides the rest shows it. */
export function ignoresIn(home: string): string[] {
	const path = join(realpathSync(home), IGNORES);
	return existsSync(path) ? [path] : [];
}

/**
 * Whether a repository elsewhere is that of the work tree whose `.git` leads to it: anybody can make such a file or link, and agents
 * that work in the tree may write to its repository.
 *
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
	const linked = readableText(join(directory, "gitdir"))?.trimEnd();
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
	if (/^\s*bare\s*=\s*(true|yes|on|1)\s*$/im.test(readableText(join(directory, "config")) ?? "")) return true;
	return basename(directory) === ".git" && namesIn(dirname(directory)).length > 1;
}

/** git-config(1), core.worktree: from the repository's directory. */
function workTreeOf(directory: string): string | undefined {
	const [, named] = /^\s*worktree\s*=\s*"?([^"\n]+?)"?\s*$/im.exec(readableText(join(directory, "config")) ?? "") ?? [];
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
