/**
 * Looks what has changed in a project that other programs run later. One look at the end is enough: the kernel sets the time of a file's
 * last change, which nobody can turn back. Of package.json alone the beginning is read, since most changes of it run nothing.
 */
import { basename, dirname, join, relative } from "node:path";
import { isAtOrBelow } from "../core/at-or-below.ts";
import type { Person } from "../project/person.ts";
import { projectOf } from "../project/project-of.ts";
import type { Repository } from "../project/repository-around.ts";
import { entriesIn } from "../store/entries-in.ts";
import { linkStatsOf } from "../store/link-stats-of.ts";
import { statsOf } from "../store/stats-of.ts";
import { changedAt, laterInRepository, laterText, type Seen, whatIsNew } from "./repository-later.ts";
import { changedScripts, isStartFile, newStartFile, type RunsLater, whenRun } from "./runs-later.ts";
import { MADE_AGAIN } from "./tree-store.ts";

const MOST_DIRECTORIES = 20_000;
const MANIFEST = "package.json";
/** Where others' sources lie, as a tool has fetched them. */
const SKIPPED: ReadonlySet<string> = new Set([...MADE_AGAIN, "vendor", "third_party", "target"]);

export interface LaterHost {
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
