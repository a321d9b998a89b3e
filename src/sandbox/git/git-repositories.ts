/**
 * The repositories of a project: its own, the submodules and linked work trees of these, and others that lie in its tree. Git is not
 * asked, and looking has its bounds: agents of an earlier run may have made what is looked at.
 */
import { readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isAtOrBelow } from "../../core/machine/paths.ts";
import { hasHead } from "../../project/repository-around.ts";
import { entriesIn, realPath, statsOf } from "../../record/files/regular-file.ts";
import { wordsOf } from "../places.ts";
import { settingsIn } from "./git-configuration.ts";

/** What git reads as a repository's directory (gitrepository-layout(5)). Paths are without links. */
export interface GitDirectory {
	readonly path: string;
	/** `linked`: that of a linked work tree, which shares most with another. */
	readonly is: "own" | "linked" | "other";
	/** The top of its work tree, where that was found by it. */
	readonly tree?: string;
}

export interface FoundRepositories {
	/** The project's own first. */
	readonly directories: readonly GitDirectory[];
	/** Files that name a repository, and links to one. */
	readonly pointers: readonly string[];
	/** Not all directories were looked at. */
	readonly isPart: boolean;
}

const BOUNDS = { directories: 3_000, parts: 5_000 };
/** What tools fetch, build and remove. */
const FETCHED = new Set(
	wordsOf(`
		node_modules bower_components .venv venv .tox target build _deps .build .terraform .gradle .cache __pycache__
		dist out
	`),
);

/** Repositories there are not looked for. */
export function isFetched(path: string): boolean {
	return path.split("/").some((name) => FETCHED.has(name));
}

/** `own`: the directories of the project's repository. */
export function repositoriesIn(top: string, own: readonly string[], bounds = BOUNDS): FoundRepositories {
	const tree = gitEntriesIn(top, bounds.directories);
	const found = new Map<string, GitDirectory>();
	const links: string[] = [];
	let looks = 0;
	const add = (...directories: GitDirectory[]) => {
		const open = directories.reverse();
		for (let directory = open.pop(); directory !== undefined && looks <= bounds.parts; directory = open.pop()) {
			if (found.has(directory.path)) continue;
			found.set(directory.path, directory);
			const parts = partsOf(directory.path, links, bounds.parts - looks);
			looks += parts.looks;
			open.push(...parts.directories.reverse());
		}
	};
	add(...own.map((path): GitDirectory => ({ path, is: "own", tree: top })));
	for (const path of tree.entries) {
		const named = textIn(path, /^gitdir: (.*)/s) ?? path;
		const directory = found.has(named) ? named : realPath(named);
		if (directory === undefined) continue;
		if (!found.has(directory) && isAtOrBelow(directory, top) && hasHead(directory))
			add({ path: directory, is: "other" });
		const one = found.get(directory);
		if (one !== undefined) found.set(directory, { tree: dirname(path), ...one });
	}
	return {
		directories: [...found.values()],
		pointers: [...tree.entries.filter((path) => !found.has(path)), ...links],
		isPart: tree.isPart || looks > bounds.parts,
	};
}

/** Its linked work trees and submodules. A submodule's name may have slashes. */
function partsOf(directory: string, links: string[], most: number): { directories: GitDirectory[]; looks: number } {
	const names = entriesIn(directory).map(({ name }) => name);
	const below = (name: string) => (names.includes(name) ? directoriesIn(join(directory, name), links) : []);
	const linked = below("worktrees").map((path): GitDirectory => ({ path, is: "linked" }));
	const open = below("modules");
	const modules: GitDirectory[] = [];
	let looks = linked.length;
	for (let path = open.pop(); path !== undefined && looks <= most; path = open.pop(), looks++) {
		if (hasHead(path)) modules.push({ path, is: "other" });
		else open.push(...directoriesIn(path, links));
	}
	return { directories: [...linked, ...modules], looks };
}

/** As the repository names it: a linked work tree by `gitdir`, a submodule by core.worktree (git-config(1)). */
export function treeOf({ path, is, tree }: GitDirectory): string | undefined {
	if (tree !== undefined) return tree;
	if (is === "linked") {
		const pointer = textIn(join(path, "gitdir"), /^(.+)/s);
		return pointer === undefined ? undefined : dirname(pointer);
	}
	const settings = settingsIn(textOf(join(path, "config")));
	const named = settings.findLast(({ section, key }) => section === "core" && key === "worktree")?.value;
	return named === undefined ? undefined : resolve(path, named);
}

/** What is named `.git`, nearest first. */
function gitEntriesIn(top: string, most: number): { entries: string[]; isPart: boolean } {
	const entries: string[] = [];
	const open = [top];
	let at = 0;
	for (; at < open.length && at < most; at++) {
		const directory = open[at] as string;
		for (const entry of entriesIn(directory)) {
			if (entry.name === ".git") entries.push(join(directory, ".git"));
			else if (entry.isDirectory() && !FETCHED.has(entry.name)) open.push(join(directory, entry.name));
		}
	}
	return { entries, isPart: at < open.length };
}

/** Links to directories are followed, and told. */
function directoriesIn(directory: string, links: string[]): string[] {
	return entriesIn(directory).flatMap((entry) => {
		const path = join(directory, entry.name);
		const real = entry.isSymbolicLink() && statsOf(path)?.isDirectory() === true ? realPath(path) : undefined;
		if (real !== undefined) links.push(path);
		return real ?? (entry.isDirectory() ? path : []);
	});
}

const MAX_BYTES = 1024 * 1024;

/** Of a regular file, or one that a link leads to; of another there is none. */
export function textOf(file: string): string {
	try {
		const stats = statSync(file, { throwIfNoEntry: false });
		return stats?.isFile() === true && stats.size <= MAX_BYTES ? readFileSync(file, "utf8") : "";
	} catch {
		return ""; // it may not be read
	}
}

/** The path that a file names. */
function textIn(file: string, pattern: RegExp): string | undefined {
	const [, path] = pattern.exec(textOf(file)) ?? [];
	return path === undefined ? undefined : resolve(dirname(file), path.trimEnd());
}
