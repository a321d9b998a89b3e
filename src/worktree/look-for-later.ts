/**
 * Looks what has changed in a project that other programs run later. One look at the end is enough: the kernel sets the time of a file's
 * last change, which nobody can turn back. Of package.json alone the beginning is read, since most changes of it run nothing.
 */
import { lstatSync, readFileSync, type Stats } from "node:fs";
import { join, relative } from "node:path";
import type { Person } from "../project/person.ts";
import { projectOf } from "../project/project-of.ts";
import { entriesIn } from "../store/entries-in.ts";
import { changedScripts, hasCommands, isStartFile, newStartFile, type RunsLater, whenRun } from "./runs-later.ts";
import { MADE_AGAIN } from "./tree-store.ts";

const MOST_DIRECTORIES = 20_000;
const MOST_BYTES = 1024 * 1024;
const MANIFEST = "package.json";
/** Where others' sources lie, as a tool has fetched them. */
const SKIPPED: ReadonlySet<string> = new Set([...MADE_AGAIN, "vendor", "third_party", "target"]);

export interface LaterHost {
	readonly person: Person;
	readonly now: () => number;
}

/** Returns the look at the end. `cwd`: of the run that begins; a home directory is too wide, and no project: there new start files count alone. */
export function beginLaterLook(cwd: string, { person, now }: LaterHost): () => RunsLater[] {
	const since = now();
	const project = projectOf(cwd, person);
	if (project === undefined || project.top === "/") return () => [];
	const { top, start, repository, homes } = project;
	if (homes.length > 0) return lookInHomes(top, homes);
	const manifests = new Map(
		[...new Set([top, start])].map((path) => [join(path, MANIFEST), textAt(join(path, MANIFEST))]),
	);
	return () => {
		const found = repository === undefined ? [] : ofRepository(repository.directory, ".git", { since, isOwn: true });
		walk(top, (directory, entry) => {
			const path = join(directory, entry);
			const name = relative(top, path);
			const stats = lstatSync(path, { throwIfNoEntry: false });
			if (stats === undefined) return;
			if (entry === ".git") found.push(...ofGit(path, name, { stats, since, isOwn: directory === top }));
			else if (stats.ctimeMs < since || stats.isDirectory()) return;
			else if (entry === MANIFEST) {
				const scripts = changedScripts(manifests.get(path) ?? "", textAt(path));
				if (scripts.length > 0) found.push({ when: "packages", path: name, what: scripts.join(", ") });
			} else found.push({ when: whenRun(name) as RunsLater["when"], path: name });
		});
		return found;
	};
}

/** What is there already no command changes. */
function lookInHomes(top: string, homes: readonly string[]): () => RunsLater[] {
	const look = () => homes.flatMap((home) => startFilesIn(home).map((name) => relative(top, join(home, name))));
	const before = new Set(look());
	return () => look().flatMap((path) => (before.has(path) ? [] : [newStartFile(path)]));
}

function startFilesIn(home: string): string[] {
	return entriesIn(home).flatMap(({ name }) => (isStartFile(name) ? [name] : []));
}

/** Calls `take` for what is of interest by its name; the nearest first. */
function walk(top: string, take: (directory: string, entry: string) => void): void {
	const directories = [top];
	for (let at = 0; at < directories.length && at < MOST_DIRECTORIES; at++) {
		const directory = directories[at] ?? "";
		for (const entry of entriesIn(directory)) {
			if (entry.name === ".git" || entry.name === MANIFEST) take(directory, entry.name);
			else if (entry.isDirectory()) {
				if (!SKIPPED.has(entry.name)) directories.push(join(directory, entry.name));
			} else if (whenRun(relative(top, join(directory, entry.name))) !== undefined) take(directory, entry.name);
		}
	}
}

interface Seen {
	readonly since: number;
	/** It is the project's own: its configuration is protected, or the person's own to change. */
	readonly isOwn: boolean;
}

/** A `.git` in the project: a repository, or what leads to one. */
function ofGit(path: string, name: string, { stats, since, isOwn }: Seen & { stats: Stats }): RunsLater[] {
	if (!stats.isDirectory())
		return stats.ctimeMs < since ? [] : [{ when: "git", path: name, what: "leads to a repository" }];
	if (stats.birthtimeMs >= since) return [{ when: "git", path: name, what: "a new repository" }];
	return isOwn ? [] : ofRepository(path, name, { since, isOwn });
}

function ofRepository(directory: string, name: string, { since, isOwn }: Seen): RunsLater[] {
	const isChanged = (path: string) =>
		(lstatSync(join(directory, path), { throwIfNoEntry: false })?.ctimeMs ?? 0) >= since;
	const hooks = entriesIn(join(directory, "hooks")).flatMap((hook) =>
		hook.name.endsWith(".sample") || !isChanged(`hooks/${hook.name}`) ? [] : [`hooks/${hook.name}`],
	);
	const todo = "rebase-merge/git-rebase-todo";
	const changed = [
		...hooks,
		...(!isOwn && isChanged("config") ? ["config"] : []),
		...(isChanged(todo) && hasCommands(textAt(join(directory, todo))) ? [todo] : []),
	];
	return changed.map((path) => ({ when: "git", path: `${name}/${path}` }));
}

/** Empty for what is no small file. */
function textAt(path: string): string {
	const stats = lstatSync(path, { throwIfNoEntry: false });
	try {
		return stats?.isFile() && stats.size <= MOST_BYTES ? readFileSync(path, "utf8") : "";
	} catch {
		return "";
	}
}
