/**
 * Begins a store with what that of an earlier run has of the same tree: then even the first state reads little, and takes little
 * room. Objects are never changed, so both have the same files (hard links); each run can be removed.
 */
import { existsSync, linkSync, readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { IndexFactsSchema } from "../core/schemas/kept-tree.ts";
import { makePrivateDirectory, replaceText } from "../store/private-files.ts";
import { parsed, readable, statesIn } from "./kept-states.ts";
import { copyIndex, storeIn, type TreeStore } from "./tree-store.ts";

/** More links take longer than to read the tree. */
const MOST_OBJECTS = 10_000;

interface Seeding {
	readonly top: string;
	/** Of the stores of earlier runs, the newest first. */
	readonly earlier: Iterable<string>;
	/** What the earlier one may have kept in all: what it needs no more comes along. */
	readonly mostBytes: number;
}

/** Does nothing for a store that has an index, or when there is no such run. */
export function seedStore(store: TreeStore, { top, earlier, mostBytes }: Seeding): void {
	if (existsSync(store.index)) return;
	for (const directory of earlier) {
		const other = storeIn(directory);
		if (statesIn(other.states).at(-1)?.top !== top) continue;
		try {
			seed(store, other, mostBytes);
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code === undefined) throw error;
		} // on another disk, or removed meanwhile: what was linked does no harm
		return;
	}
}

function seed(store: TreeStore, other: TreeStore, mostBytes: number): void {
	const facts = readable(`${other.index}.json`);
	const bytes = parsed(facts, IndexFactsSchema)?.bytes;
	if (bytes === undefined || bytes > mostBytes) return;
	const taken = `${store.index}.seed`;
	if (!copyIndex(other, taken)) return;
	if (readable(`${other.index}.json`) !== facts) return; // it is being written
	const objects = objectsOf(join(other.git, "objects"));
	if (objects.length > MOST_OBJECTS) return;
	for (const directory of new Set(objects.map(([name]) => name)))
		makePrivateDirectory(join(store.git, "objects", directory));
	for (const [directory, name] of objects) linkOnce(other, store, join("objects", directory, name));
	replaceText(`${store.index}.json`, facts, { mode: 0o600 });
	renameSync(taken, store.index);
}

/** The directory and the name of each: packs, and single objects. */
function objectsOf(objects: string): [directory: string, name: string][] {
	const directories = readdirSync(objects).filter((name) => name === "pack" || /^[0-9a-f]{2}$/.test(name));
	return directories.flatMap((directory) =>
		readdirSync(join(objects, directory))
			.filter((name) => !name.startsWith("tmp"))
			.map((name): [string, string] => [directory, name]),
	);
}

function linkOnce({ git: from }: TreeStore, { git: to }: TreeStore, path: string): void {
	try {
		linkSync(join(from, path), join(to, path));
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
	}
}
