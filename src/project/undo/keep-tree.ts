/**
 * Keeps a tree as it is now. What has changed since the last time is found by what the system tells of each file, against an
 * index of our own: only that is read. Nothing of the tree is written.
 */

import { accessSync, constants, lstatSync, readdirSync, type Stats } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { formatBytes } from "../../core/bytes.ts";
import type { Modes, Skipped, TreeFacts } from "../../core/schemas/kept-tree.ts";
import { isPlaceholder, PLACEHOLDERS } from "../../record/placeholders.ts";
import type { GitFailure } from "../run-git.ts";
import { isSpecial, type OpenTree } from "./open-tree.ts";
import { modesOf, planKeep, type Seen } from "./plan-keep.ts";
import { joinNames, parseNames, removalsOf } from "./tree-paths.ts";
import { bytesIn, dropHalfWritten, dropIndex, putIndex, takeIndex } from "./tree-store.ts";

export interface Bounds {
	/** A larger file is not kept. */
	readonly fileBytes: number;
	/** For the files of one state. */
	readonly treeBytes: number;
	/** For all that a run keeps. */
	readonly storeBytes: number;
	readonly files: number;
}

export interface Snapshot {
	readonly is: "kept";
	readonly tree: string;
	readonly facts: TreeFacts;
	/** Git's id of the facts. */
	readonly factsId: string;
	/** How many files were read. */
	readonly read: number;
}

export interface NotKept {
	readonly is: "not_kept";
	readonly reason: string;
	/** Files have changed while they were read, perhaps. */
	readonly mayTryAgain?: true;
}

interface KeepHow {
	readonly bounds: Bounds;
	readonly signal: AbortSignal;
	/** No other keep has this name at the same time. */
	readonly name: string;
	readonly now: () => number;
}

/** Throws AgentreeError("not_writable") when the store cannot be written. */
export async function keepTree(tree: OpenTree, how: KeepHow): Promise<Snapshot | NotKept> {
	const path = takeIndex(tree.store, how.name);
	const { bounds, signal } = how;
	const startedAt = how.now();
	try {
		const listed = await list(tree, path, signal);
		if (listed.is !== "listed") return listed;
		if (listed.hidden.includes("")) return { is: "not_kept", reason: `${tree.top} cannot be read` };
		if (listed.candidates.length > bounds.files) return tooMany(tree, bounds);
		const seen = await lookAt(tree.top, listed.candidates);
		const plan = planKeep(seen, { fileBytes: bounds.fileBytes, newBytes: bounds.treeBytes });
		if (bytesIn(tree.store) + plan.bytes > bounds.storeBytes) return fullStore(bounds);
		const removed = [...listed.ignoredNow, ...plan.leave];
		const written = await write(tree, { path, removed, taken: plan.take, signal });
		if (written.is !== "written") {
			dropHalfWritten(tree.store);
			return written;
		}
		const stillThere = (await lookAt(tree.top, listed.ignoredNow)).filter(({ is }) => is !== "gone");
		const ignored = [...listed.ignored, ...stillThere.map((one) => one.path)];
		const skipped = [
			...listed.repositories.map((path): Skipped => ({ path, because: "repository" })),
			...listed.hidden.map((path): Skipped => ({ path, because: "not_readable" })),
			...plan.skipped,
		];
		const gone = new Set(removed);
		const kept = new Set([...listed.kept.filter((one) => !gone.has(one)), ...plan.take]);
		const modes = modesOf(await lookAt(tree.top, [...kept]));
		const facts = await factsOf(tree, path, { ignored, skipped, modes, signal });
		if (facts.is !== "facts") return facts;
		putIndex(tree.store, path, startedAt);
		return { is: "kept", tree: written.tree, facts: facts.facts, factsId: facts.id, read: plan.take.length };
	} finally {
		dropIndex(path);
	}
}

interface Listed {
	readonly is: "listed";
	/** What may have changed. */
	readonly candidates: readonly string[];
	/** What was kept the last time. */
	readonly kept: readonly string[];
	/** What is ignored since it was kept. */
	readonly ignoredNow: readonly string[];
	readonly ignored: readonly string[];
	readonly repositories: readonly string[];
	/** Directories that cannot be looked into. */
	readonly hidden: readonly string[];
}

async function list(tree: OpenTree, index: string, signal: AbortSignal): Promise<Listed | NotKept> {
	const ask = (...args: string[]) => tree.run({ args, signal }, index);
	const [kept, others, ignored, changed, keptIgnored, usersIgnored] = await Promise.all([
		ask("ls-files", "-z", "--cached"),
		ask("ls-files", "-z", "--others", "--exclude-standard"),
		ask("ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"),
		ask("diff-files", "-z", "--name-only"),
		ask("ls-files", "-z", "--cached", "--ignored", "--exclude-standard"),
		trackedAndIgnored(tree, signal),
	]);
	if (kept.is === "failed") return notKept(kept);
	if (others.is === "failed") return notKept(others);
	if (ignored.is === "failed") return notKept(ignored);
	if (changed.is === "failed") return notKept(changed);
	if (keptIgnored.is === "failed") return notKept(keptIgnored);
	const tracked = new Set(usersIgnored);
	const own = new Set(parseNames(keptIgnored.out));
	const ignoredNow = usersIgnored === undefined ? [] : [...own].filter((path) => !tracked.has(path));
	const gone = new Set(ignoredNow);
	const [repositories, files] = parted(parseNames(others.out));
	const isNew = [...tracked].filter((path) => !own.has(path));
	const candidates = new Set([...files, ...parseNames(changed.out).filter((path) => !gone.has(path)), ...isNew]);
	const ignoredPaths = parseNames(ignored.out).filter((path) => !tracked.has(path));
	const hidden = hiddenDirectories(others.warnings);
	return {
		...{ is: "listed", kept: parseNames(kept.out), candidates: [...candidates] },
		...{ ignoredNow, ignored: ignoredPaths, repositories, hidden },
	};
}

/** Directories, which git lists when they are repositories, and files. */
function parted(paths: readonly string[]): [directories: string[], files: string[]] {
	const isDirectory = (path: string) => path.endsWith("/");
	return [paths.filter(isDirectory), paths.filter((path) => !isDirectory(path))];
}

/**
 * The files that the user's repository tracks although its rules ignore them: they are kept as all others. Their index is read
 * with our configuration. Undefined when it cannot be: then no such file is kept, or taken for ignored.
 */
async function trackedAndIgnored(tree: OpenTree, signal: AbortSignal): Promise<readonly string[] | undefined> {
	if (tree.repository === undefined) return [];
	const index = join(tree.repository.directory, "index");
	if (isSpecial(index)) return undefined;
	const asked = await tree.run(
		{ args: ["ls-files", "-z", "--cached", "--ignored", "--exclude-standard"], signal },
		index,
	);
	return asked.is === "done" ? parseNames(asked.out) : undefined;
}

interface Writing {
	readonly path: string;
	readonly removed: readonly string[];
	readonly taken: readonly string[];
	readonly signal: AbortSignal;
}

async function write(
	tree: OpenTree,
	{ path, removed, taken, signal }: Writing,
): Promise<{ is: "written"; tree: string } | NotKept> {
	if (removed.length > 0) {
		const stdin = Buffer.from(removalsOf(removed));
		const done = await tree.run({ args: ["update-index", "-z", "--index-info"], stdin, signal }, path);
		if (done.is === "failed") return notKept(done);
	}
	if (taken.length > 0) {
		const stdin = Buffer.from(joinNames(taken));
		const bulk = tree.hasBulkWrites ? ["-c", "core.bigFileThreshold=1"] : [];
		const args = [...bulk, "update-index", "--add", "--remove", "--replace", "-z", "--stdin"];
		const done = await tree.run({ args, stdin, signal }, path);
		if (done.is === "failed") return notKept(done);
	}
	const made = await tree.run({ args: ["write-tree"], signal }, path);
	return made.is === "failed" ? notKept(made) : { is: "written", tree: made.out.toString("latin1").trim() };
}

interface Found {
	readonly ignored: readonly string[];
	readonly skipped: readonly Skipped[];
	readonly modes: Modes;
	readonly signal: AbortSignal;
}

async function factsOf(
	tree: OpenTree,
	index: string,
	{ ignored, skipped, modes, signal }: Found,
): Promise<{ is: "facts"; facts: TreeFacts; id: string } | NotKept> {
	const args = ["ls-files", "-z", "--others", "--exclude-standard", "--directory"];
	const left = await tree.run({ args, signal }, index);
	if (left.is === "failed") return notKept(left);
	const known = new Set([...ignored, ...skipped.map(({ path }) => path)]);
	const directories = parted(parseNames(left.out))[0].filter((path) => !known.has(path));
	const empty = emptyDirectoriesIn(tree.top, directories);
	const facts: TreeFacts = { ignored, skipped, empty, modes };
	const stdin = Buffer.from(JSON.stringify(facts));
	const written = await tree.run({ args: ["hash-object", "-w", "--stdin"], stdin, signal });
	return written.is === "failed" ? notKept(written) : { is: "facts", facts, id: written.out.toString("latin1").trim() };
}

function tooMany({ top }: OpenTree, { files }: Bounds): NotKept {
	return { is: "not_kept", reason: `${top} has more than ${files} files` };
}

function fullStore({ storeBytes }: Bounds): NotKept {
	return {
		is: "not_kept",
		reason: `the saved files of this run would exceed ${formatBytes(storeBytes)}`,
	};
}

function notKept({ why, code }: GitFailure): NotKept {
	return code === undefined ? { is: "not_kept", reason: why } : { is: "not_kept", reason: why, mayTryAgain: true };
}

/**
 * The directories that git could not look into, from its warnings: a tree looks then as if nothing were there, and what comes to
 * light later is not new. Pure.
 */

const WARNING = "warning: could not open directory '";
const BEHIND_PATH = "': ";

/** `warnings`: in the locale C, one character a byte. Each ends in a slash; the tree's own directory is empty. */
export function hiddenDirectories(warnings: string): string[] {
	const told = warnings.split(WARNING).slice(1);
	return [...new Set(told.map(directoryIn))];
}

/** Git has ? for a control character, and cuts a long path: then the directory above that counts. */
function directoryIn(told: string): string {
	const end = told.indexOf(BEHIND_PATH);
	const path = end < 0 ? told : told.slice(0, end);
	const unsure = end < 0 ? path.length : path.indexOf("?");
	const sure = unsure < 0 ? path : path.slice(0, path.lastIndexOf("/", unsure) + 1);
	return sure === "." || sure === "./" ? "" : sure;
}

/** Finds the empty directories at and below some; those that cannot be read, or stand there for a sandbox alone, are none. */

const MAX_LOOKED_AT = 2_000;

/** Each without a slash at its end. */
export function emptyDirectoriesIn(top: string, directories: readonly string[]): string[] {
	const open = directories.map((directory) => directory.replace(/\/$/, ""));
	const found: string[] = [];
	for (let looks = 0; looks < MAX_LOOKED_AT; looks++) {
		const directory = open.pop();
		if (directory === undefined) break;
		const entries = entriesOf(placeOf(top, directory));
		if (entries?.length === 0 && !isMade(top, directory)) found.push(directory);
		for (const entry of entries ?? [])
			if (entry.isDirectory()) open.push(`${directory}/${entry.name.toString("latin1")}`);
	}
	return found.sort();
}

function entriesOf(place: Buffer) {
	try {
		return readdirSync(place, { withFileTypes: true, encoding: "buffer" });
	} catch {
		return undefined;
	}
}

function isMade(top: string, directory: string): boolean {
	return PLACEHOLDERS.includes(directory) && isPlaceholder(placeOf(top, directory));
}

/** Looks at files of a tree, in slices: whoever does it holds a conversation. No link is followed, not even on the way. */

const SLICE = 500; // some milliseconds

export async function lookAt(top: string, paths: readonly string[]): Promise<Seen[]> {
	const seen: Seen[] = [];
	const directories = new Map<string, boolean>();
	for (let at = 0; at < paths.length; at += SLICE) {
		seen.push(...paths.slice(at, at + SLICE).map((path) => lookAtOne(top, path, directories)));
		await setImmediate();
	}
	return seen;
}

/** Where the path lies, for calls of the system. */
export function placeOf(top: string, path: string): Buffer {
	return Buffer.concat([Buffer.from(`${top}/`), Buffer.from(path, "latin1")]);
}

/** `hidden`: nobody can tell, since a directory above it may not be entered, for instance. */
function statsAt(place: Buffer): Stats | "hidden" | undefined {
	try {
		return lstatSync(place, { throwIfNoEntry: false });
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === "ENOTDIR" ? undefined : "hidden";
	}
}

function lookAtOne(top: string, path: string, directories: Map<string, boolean>): Seen {
	const place = placeOf(top, path);
	const stats = isWithinDirectories(top, path, directories) ? statsAt(place) : undefined;
	if (stats === "hidden") return { is: "not_readable", path };
	if (stats === undefined || stats.isDirectory()) return { is: "gone", path };
	if (stats.isSymbolicLink()) return { is: "link", path };
	if (!stats.isFile()) return { is: "special", path };
	if (!isReadable(place)) return { is: "not_readable", path };
	return { is: "file", path, bytes: stats.size, mode: stats.mode & 0o7777 };
}

function isWithinDirectories(top: string, path: string, known: Map<string, boolean>): boolean {
	const end = path.lastIndexOf("/");
	if (end < 0) return true;
	const directory = path.slice(0, end);
	const before = known.get(directory);
	if (before !== undefined) return before;
	const is = isWithinDirectories(top, directory, known) && mayBeDirectory(statsAt(placeOf(top, directory)));
	known.set(directory, is);
	return is;
}

function mayBeDirectory(stats: ReturnType<typeof statsAt>): boolean {
	return stats === "hidden" || stats?.isDirectory() === true;
}

function isReadable(place: Buffer): boolean {
	try {
		accessSync(place, constants.R_OK);
		return true;
	} catch {
		return false;
	}
}
