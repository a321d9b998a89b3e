/**
 * Where the states of a tree are kept: a repository of our own, bare of all but objects, with an index of our own beside it. It
 * lies in the run's directory, where commands can change it: what git could run of it is written anew before each use, and
 * set by options besides (run-git.ts).
 */

import {
	closeSync,
	constants,
	copyFileSync,
	fstatSync,
	lstatSync,
	openSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	utimesSync,
} from "node:fs";
import { join, relative } from "node:path";
import * as v from "valibot";
import { AgentreeError } from "../../core/errors.ts";
import { type KeptState, KeptStateSchema } from "../../core/schemas/kept-tree.ts";
import { makePrivateDirectory, onDisk, replaceText, writeAll } from "../../record/files/private-files.ts";
import { namesIn, readText, statsOf } from "../../record/files/regular-file.ts";
import { redactedJson } from "../../text/safe/redact.ts";
import type { Repository } from "../repository-around.ts";

export interface TreeStore {
	readonly directory: string;
	readonly git: string;
	readonly index: string;
	readonly states: string;
}

export function storeIn(directory: string): TreeStore {
	return {
		directory,
		git: join(directory, "git"),
		index: join(directory, "index"),
		states: join(directory, "states"),
	};
}

const CONFIG = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n";
/** The bytes of a file are kept as they are, whatever attributes a tree names. */
const ATTRIBUTES = "* -text -crlf -ident !eol !filter !working-tree-encoding\n";

/** Throws AgentreeError("not_writable"). */
export function prepareStore(store: TreeStore): void {
	for (const name of ["objects", "refs", "info"]) makePrivateDirectory(join(store.git, name));
	makePrivateDirectory(store.states);
	put(store, "HEAD", "ref: refs/heads/none\n");
	put(store, "config", CONFIG);
	put(store, "info/attributes", ATTRIBUTES);
}

export function writeExcludes(store: TreeStore, excludes: Uint8Array): void {
	put(store, "info/exclude", excludes);
}

function put(store: TreeStore, name: string, content: string | Uint8Array): void {
	replaceText(join(store.git, name), content, { mode: 0o600 });
}

const MAX_EXCLUDE_BYTES = 1024 * 1024;
/** What is not kept where no repository says what its sources are: it can be made again, and is most of such a tree. */
export const MADE_AGAIN = [
	...["node_modules", ".venv", "venv", "__pycache__", ".tox", ".mypy_cache", ".pytest_cache", ".ruff_cache"],
	...[".gradle", ".terraform", ".next", ".nuxt", ".cache", ".svn", ".hg"],
];

/** The ignore rules that stand in no file of the tree. `own`: directories of agentree's, which may lie in it. */
export function excludesOf(top: string, repository: Repository | undefined, own: readonly string[]): Uint8Array {
	const rules =
		repository === undefined
			? Buffer.from(MADE_AGAIN.map((name) => `${name}/\n`).join(""))
			: smallFile(join(repository.common, "info", "exclude"));
	const inside = own
		.map((directory) => relative(top, directory))
		.filter((path) => path !== "" && !path.startsWith(".."));
	const ours = inside.map((path) => `/${path.replace(/[\\*?[\]!# ]/g, "\\$&")}/\n`);
	return Buffer.concat([rules, Buffer.from(`\n${ours.join("")}`)]);
}

/** Empty when it cannot be read, or is no file. */
function smallFile(path: string): Uint8Array {
	let file: number | undefined;
	try {
		file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
		const found = fstatSync(file);
		return found.isFile() && found.size <= MAX_EXCLUDE_BYTES ? readFileSync(file) : Buffer.alloc(0);
	} catch {
		return Buffer.alloc(0);
	} finally {
		if (file !== undefined) closeSync(file);
	}
}

/** An index to work with. Another process may work with one of its own: the last that is done wins. */
export function takeIndex(store: TreeStore, name: string): string {
	const path = `${store.index}.${name}`;
	rmSync(path, { force: true });
	copyIndex(store, path);
	return path;
}

/** With its time: see `putIndex`. False when there is no such file: opening a FIFO in its place would wait forever. */
export function copyIndex({ index }: TreeStore, path: string): boolean {
	const found = lstatSync(index, { throwIfNoEntry: false });
	if (found?.isFile() !== true) return false;
	copyFileSync(index, path);
	utimesSync(path, found.atime, found.mtime);
	return true;
}

const UNSURE_MS = 3_000; // a second of git's, and what the clocks of file systems may differ

/**
 * Git compares whole seconds, and so reads each file that is not older than its index: only such a one can have been changed
 * twice in one second. So the index gets the time from which on files may have changed behind its back, and a copy keeps it.
 */
export function putIndex(store: TreeStore, path: string, startedAt: number): void {
	const asOf = new Date(startedAt - UNSURE_MS);
	utimesSync(path, asOf, asOf);
	renameSync(path, store.index);
}

/** The directory and the name of each object or pack. */
export function objectsIn({ git }: TreeStore): [directory: string, name: string][] {
	const objects = join(git, "objects");
	const directories = namesIn(objects).filter((name) => name === "pack" || /^[0-9a-f]{2}$/.test(name));
	return directories.flatMap((directory) =>
		namesIn(join(objects, directory))
			.filter((name) => !name.startsWith("tmp"))
			.map((name): [string, string] => [directory, name]),
	);
}

/** What all that is kept takes. */
export function bytesIn(store: TreeStore): number {
	const sizes = objectsIn(store).map(([directory, name]) => statsOf(join(store.git, "objects", directory, name))?.size);
	return sizes.reduce((sum: number, size = 0) => sum + size, 0);
}

/** What a git that failed, or was ended, has left of its writing: on a full disk it is the room that is missing. */
export function dropHalfWritten({ git }: TreeStore): void {
	const objects = join(git, "objects");
	for (const name of ["", ...namesIn(objects).filter((name) => name === "pack" || /^[0-9a-f]{2}$/.test(name))])
		for (const half of namesIn(join(objects, name)).filter((entry) => entry.startsWith("tmp_")))
			rmSync(join(objects, name, half), { force: true, recursive: true });
}

export function dropIndex(path: string): void {
	rmSync(path, { force: true });
	rmSync(`${path}.lock`, { force: true });
}

/**
 * The kept states of a run, a file each, and what is kept beside their files. Commands can change all of it: what is read is
 * checked. A supervisor and a command may write at the same time: each takes a number that is free.
 */

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
const FILE = /^(\d{1,9})\.json$/;

/** `directory`: of the states. Throws AgentreeError("not_writable"). */
export function addState(directory: string, state: Omit<KeptState, "id">): KeptState {
	for (let id = (idsIn(directory).at(-1) ?? 0) + 1; ; id++) {
		const path = join(directory, `${id}.json`);
		const added = { id, ...state };
		if (onDisk(path, () => writeNew(path, `${redactedJson(added)}\n`))) return added;
	}
}

/** In their order. What is damaged is left out. */
export function statesIn(directory: string): KeptState[] {
	return idsIn(directory).flatMap((id) => {
		const state = parsed(readable(join(directory, `${id}.json`)), KeptStateSchema);
		return state?.id === id ? [state] : [];
	});
}

/**
 * Those before messages, the newest first. After an undo only those are left that are not above the state it went back to: so
 * the next undo goes on from there, and does not take the first one back.
 */
export function undoable(states: readonly KeptState[]): KeptState[] {
	const newest = states.at(-1);
	const top = newest?.why.is === "undo" ? newest.why.to : Number.POSITIVE_INFINITY;
	return states.filter(({ id, why }) => why.is === "message" && id <= top).reverse();
}

/** Undefined for what has another shape. */
export function parsed<const S extends v.GenericSchema>(text: string, schema: S): v.InferOutput<S> | undefined {
	try {
		const read = v.safeParse(schema, JSON.parse(text));
		return read.success ? read.output : undefined;
	} catch {
		return undefined;
	}
}

/** The file's text; empty when it cannot be read. */
export function readable(path: string): string {
	try {
		return readText(path);
	} catch (error) {
		if (error instanceof AgentreeError) return "";
		throw error;
	}
}

function idsIn(directory: string): number[] {
	try {
		const ids = readdirSync(directory).flatMap((name) => FILE.exec(name)?.[1] ?? []);
		return ids.map(Number).sort((a, b) => a - b);
	} catch {
		return [];
	}
}

/** False when there is such a file. */
function writeNew(path: string, text: string): boolean {
	let file: number;
	try {
		file = openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
		throw error;
	}
	try {
		writeAll(file, Buffer.from(text));
		return true;
	} finally {
		closeSync(file);
	}
}
