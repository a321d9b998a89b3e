/** The repository around a directory, as git finds it. Git is not asked: a configuration may name any directory as its tree. */
import { lstatSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { statsOf } from "../record/files/regular-file.ts";

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
