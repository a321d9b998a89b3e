/** The kept states of the files that a conversation works on, for a copy of it. */
import { linkSync } from "node:fs";
import { join } from "node:path";
import { copyRegular } from "../../store/copy-file.ts";
import { makeDirectoriesBelow } from "../../store/directories-below.ts";
import { entriesIn } from "../../store/entries-in.ts";
import { undoDirectory } from "../../store/run-directory.ts";

const OBJECTS = "git/objects";
const MAX_LEVELS = 8;

/**
 * The states first: each is written behind the objects that it names. An object is never changed, so that both may have the same
 * file. What only makes the next state quicker is left out.
 */
export function copyUndo(directory: string, copy: string): void {
	const [from, to] = [undoDirectory(directory), undoDirectory(copy)];
	for (const below of ["states", OBJECTS, "git"]) copyBelow({ from, to, root: copy, below }, MAX_LEVELS);
}

interface Below {
	readonly from: string;
	readonly to: string;
	/** The directory of the copied run. */
	readonly root: string;
	readonly below: string;
}

/** Links, and what is no regular file, are left out. */
function copyBelow({ from, to, root, below }: Below, levels: number): void {
	for (const entry of entriesIn(join(from, below))) {
		const path = `${below}/${entry.name}`;
		makeDirectoriesBelow(root, join(to, below));
		if (entry.isDirectory() && levels > 0 && path !== OBJECTS) copyBelow({ from, to, root, below: path }, levels - 1);
		if (entry.isFile()) copyOne(join(from, path), join(to, path), path.startsWith(`${OBJECTS}/`));
	}
}

function copyOne(from: string, to: string, isObject: boolean): void {
	try {
		if (isObject) return linkSync(from, to);
	} catch {} // another disk, or one without such links
	copyRegular(from, to);
}
