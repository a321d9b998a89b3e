/**
 * Looks what has changed in a project that other programs run later. One look at the end is enough: the kernel sets the time of a file's
 * last change, which nobody can turn back. Of package.json alone the beginning is read, since most changes of it run nothing.
 */

import { readFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { isAtOrBelow } from "../../core/machine/paths.ts";
import { entriesIn, linkStatsOf, statsOf } from "../../record/files/regular-file.ts";
import { type Person, projectOf } from "../project-of.ts";
import { hasHead, type Repository } from "../repository-around.ts";
import {
	changedScripts,
	hasCommands,
	isStartFile,
	namesStrategy,
	newStartFile,
	type RunsLater,
	whenRun,
} from "./runs-later.ts";
import { MADE_AGAIN } from "./tree-store.ts";

const MOST_DIRECTORIES = 20_000;
const MANIFEST = "package.json";
/** Where others' sources lie, as a tool has fetched them. */
const SKIPPED: ReadonlySet<string> = new Set([...MADE_AGAIN, "vendor", "third_party", "target"]);

interface LaterHost {
	readonly person: Person;
	readonly now: () => number;
	/** Before now, where nobody has looked at the end of what the run did then. */
	readonly since?: number | undefined;
	/** As `Seen` has it. */
	readonly isUnkept?: Seen["isUnkept"];
}

/** Returns the look at the end. `cwd`: of the run that begins; a home directory is too wide, and no project: there new start files count alone. */
export function beginLaterLook(
	cwd: string,
	{ person, now, since: before, isUnkept = () => false }: LaterHost,
): () => RunsLater[] {
	const since = Math.min(before ?? now(), now());
	const project = projectOf(cwd, person);
	if (project === undefined || project.top === "/") return () => [];
	const { top, start, repository, homes } = project;
	if (homes.length > 0) return lookInHomes(top, homes);
	const manifests = before === undefined ? [...new Set([top, start])].map((path) => join(path, MANIFEST)) : []; // nobody knows what was there
	const texts = new Map(manifests.map((path) => [path, laterText(path)]));
	const seen = { since, isUnkept };
	const own = repository === undefined ? [] : [join(top, ".git"), join(repository.directory, "HEAD")];
	return () => {
		const found = repository === undefined ? [] : inOwn(repository, { ...seen, name: ".git", isOwn: true });
		walk(top, since, ({ path, name, entry, isMoved }) => {
			if (entry === ".git" || entry === "HEAD") {
				if (!own.includes(path)) found.push(...inNested(entry === "HEAD" ? dirname(path) : path, { ...seen, top }));
			} else if (!isMoved && changedAt(path) < since) return;
			else if (entry === MANIFEST) found.push(...ofManifest(name, texts.get(path) ?? "", laterText(path)));
			else found.push({ when: whenRun(name) as RunsLater["when"], path: name });
		});
		return found;
	};
}

/** What all of its work trees share may lie elsewhere: there that of each lies, too. */
function inOwn({ directory, common }: Repository, seen: Seen): RunsLater[] {
	const shared = directory === common ? [] : laterInRepository(common, { ...seen, name: common });
	return isAtOrBelow(directory, `${common}/worktrees`) ? shared : [...laterInRepository(directory, seen), ...shared];
}

/** `path`: what is named `.git`, or a directory that may be a repository itself. */
function inNested(
	path: string,
	{ top, ...seen }: Pick<Seen, "since" | "isUnkept"> & { readonly top: string },
): RunsLater[] {
	const isBare = basename(path) !== ".git";
	if (isBare && !["objects", "refs"].every((name) => statsOf(join(path, name))?.isDirectory())) return [];
	const name = relative(top, path) || ".";
	const isNewHead = isBare && (linkStatsOf(join(path, "HEAD"))?.birthtimeMs ?? 0) >= seen.since;
	const what = isNewHead ? "a new repository" : whatIsNew(path, isBare ? { ...seen, isUnkept: () => false } : seen);
	if (what !== undefined) return [{ when: "git", path: name, what }];
	return laterInRepository(path, { ...seen, name, isOwn: false });
}

function ofManifest(name: string, before: string, text: string | undefined): RunsLater[] {
	const what = text === undefined ? "too large to look into" : changedScripts(before, text).join(", ");
	return what === "" ? [] : [{ when: "packages", path: name, what }];
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

interface Entry {
	readonly path: string;
	/** From the top. */
	readonly name: string;
	readonly entry: string;
	/** A directory of such files above it has got another name, maybe, which changes none of them. */
	readonly isMoved: boolean;
}

/** Calls `take` for what is of interest by its name; the nearest first. */
function walk(top: string, since: number, take: (entry: Entry) => void): void {
	const directories = [{ path: top, isMoved: false }];
	for (let at = 0; at < directories.length && at < MOST_DIRECTORIES; at++) {
		const directory = directories[at] as (typeof directories)[number];
		for (const entry of entriesIn(directory.path)) {
			const path = join(directory.path, entry.name);
			const name = relative(top, path);
			const { isMoved } = directory;
			if (OF_INTEREST.has(entry.name)) take({ path, name, entry: entry.name, isMoved });
			else if (entry.isDirectory()) {
				const isHidden = entry.name.startsWith(".");
				if (!SKIPPED.has(entry.name))
					directories.push({ path, isMoved: isMoved || (isHidden && changedAt(path) >= since) });
			} else if (whenRun(name) !== undefined) take({ path, name, entry: entry.name, isMoved });
		}
	}
}

const OF_INTEREST: ReadonlySet<string> = new Set([".git", "HEAD", MANIFEST]);

/** What of a repository git runs later, and has changed: hooks, configuration, unfinished operations with commands; also of its work trees and submodules. */

const MOST_PARTS = 5_000;
const MOST_BYTES = 1024 * 1024;

interface Seen {
	/** Paths are told from there. */
	readonly name: string;
	readonly since: number;
	/** Its configuration is protected, or the person's own to change. */
	readonly isOwn: boolean;
	/** Whether a sandbox would keep what git runs of a repository, and does not: it was not there. */
	readonly isUnkept: (directory: string) => boolean;
}

function laterInRepository(directory: string, seen: Seen): RunsLater[] {
	const { name, isOwn } = seen;
	const changed = [
		...changedHooks(directory, seen),
		...(isOwn ? ofTwoNames(directory) : CONFIGURATION).filter((path) => isTurned(directory, path, seen)),
		...unfinished(directory, seen),
	];
	return [
		...changed.map((path): RunsLater => ({ when: "git", path: `${name}/${path}` })),
		...laterInParts(directory, seen),
	];
}

function changedHooks(directory: string, { since }: Seen): string[] {
	const names = entriesIn(join(directory, "hooks")).map((hook) => `hooks/${hook.name}`);
	return names.filter((path) => !path.endsWith(".sample") && changedAt(join(directory, path)) >= since);
}

const CONFIGURATION = ["config", "config.worktree", "commondir", "objects/info/alternates"];

/** No mount keeps what can be written to by another name. */
function ofTwoNames(directory: string): string[] {
	return CONFIGURATION.filter((path) => (linkStatsOf(join(directory, path))?.nlink ?? 1) > 1);
}

/** Changed, and not to what changes nothing for git, as it stands there for a sandbox (sandbox/git/git-places.ts). */
function isTurned(directory: string, path: string, { since }: Seen): boolean {
	const file = join(directory, path);
	if (changedAt(file) < since) return false;
	const text = laterText(file);
	if (path !== "commondir") return text !== "";
	const shared = resolve(directory, text?.trimEnd() ?? "");
	return shared !== directory && shared !== resolve(directory, "../..");
}

const TODO = "rebase-merge/git-rebase-todo";
/** Git takes a strategy for the name of a program (git-merge(1)). */
const STRATEGIES = ["rebase-merge/strategy", "sequencer/opts"];

function unfinished(directory: string, { since }: Seen): string[] {
	const isChanged = (path: string) => changedAt(join(directory, path)) >= since;
	const runs = (path: string) => {
		const text = laterText(join(directory, path));
		return text === undefined || (path === TODO ? hasCommands(text) : namesStrategy(text));
	};
	return [TODO, ...STRATEGIES].filter((path) => isChanged(path) && runs(path));
}

/** Git takes a directory among the submodules' for that of a submodule to come of this name. */
function laterInParts(directory: string, seen: Seen): RunsLater[] {
	const below = (at: string) =>
		entriesIn(join(directory, at)).map((entry) => ({ path: `${at}/${entry.name}`, isReal: entry.isDirectory() }));
	const ofPart = (path: string) =>
		laterInRepository(join(directory, path), { ...seen, name: `${seen.name}/${path}`, isOwn: false });
	const linked = below("worktrees").flatMap(({ path, isReal }) => (isReal ? ofPart(path) : []));
	const open = below("modules");
	const modules: RunsLater[] = [];
	for (let at = 0; at < open.length && at < MOST_PARTS; at++) {
		const { path, isReal } = open[at] as (typeof open)[number];
		const what = whatIsNew(join(directory, path), seen);
		if (what !== undefined) modules.push({ when: "git", path: `${seen.name}/${path}`, what });
		else if (isReal && hasHead(join(directory, path))) modules.push(...ofPart(path));
		else if (isReal) open.push(...below(path));
	}
	return [...linked, ...modules];
}

/** What is told of a repository, or what may be a link to one, that was not there. */
function whatIsNew(path: string, { since, isUnkept }: Pick<Seen, "since" | "isUnkept">): string | undefined {
	const stats = linkStatsOf(path);
	if (stats === undefined) return undefined;
	if (!stats.isDirectory()) return stats.ctimeMs >= since ? "leads to a repository" : undefined;
	if (!hasHead(path)) return undefined;
	const isOld = PARTS.every((part) => (linkStatsOf(join(path, part))?.birthtimeMs ?? 0) < since);
	return isOld && !(stats.ctimeMs >= since && isUnkept(path)) ? undefined : "a new repository";
}

/** One that was moved is as old as before. */
const PARTS = ["", "objects", "refs"];

/** Of a link also that to which it leads. 0: nothing is there. */
function changedAt(path: string): number {
	const own = linkStatsOf(path);
	if (!own?.isSymbolicLink()) return own?.ctimeMs ?? 0;
	return Math.max(own.ctimeMs, statsOf(path)?.ctimeMs ?? 0);
}

/** Empty for what is no file, undefined for a large one. */
function laterText(path: string): string | undefined {
	const stats = statsOf(path);
	if (!stats?.isFile()) return "";
	if (stats.size > MOST_BYTES) return undefined;
	try {
		return readFileSync(path, "utf8");
	} catch {
		return "";
	}
}
