/**
 * Directories in a project from which other programs run what stands there. A mount needs something to stand on: where one is not
 * there, an empty one stands for it while a run in a sandbox goes on, so that no command makes its own. Its sticky bit, which
 * mkdir(2) sets at once, tells it from a person's own, even when nobody was left to remove it: it is the next run's to remove, and
 * no part of a tree.
 */

import { chmodSync, lstatSync, mkdirSync, type PathLike, readdirSync, rmdirSync } from "node:fs";
import { ifThere } from "../core/if-there.ts";

/** In the directory of a project. */
export const PLACEHOLDERS: readonly string[] = [".agentree", ".claude", ".vscode", ".idea", ".cursor"];

const STICKY = 0o1000;

/** Where one is to be made, or was left. */
export function placeholdersIn(top: string): string[] {
	const paths = PLACEHOLDERS.map((name) => `${top}/${name}`);
	return paths.filter((path) => modeAt(path) === undefined || isPlaceholder(path));
}

export function makePlaceholders(paths: readonly string[]): void {
	for (const path of paths) {
		try {
			mkdirSync(path, { mode: STICKY | 0o777 });
		} catch {
			// it is there, or nobody here may write to the project
		}
	}
}

export function isPlaceholder(path: PathLike): boolean {
	return ifThere(() => isMarked(path) && readdirSync(path).length === 0) ?? false; // nobody here may look
}

export function removePlaceholder(path: string): void {
	if (!isMarked(path)) return;
	try {
		rmdirSync(path);
	} catch {
		unmark(path); // a person has put something there
	}
}

function isMarked(path: PathLike): boolean {
	return ((modeAt(path) ?? 0) & STICKY) !== 0;
}

function unmark(path: string): void {
	try {
		chmodSync(path, (modeAt(path) ?? 0) & ~STICKY);
	} catch {
		// it is another user's
	}
}

/** Undefined: nothing is there. 0: no directory, or nobody can tell. */
function modeAt(path: PathLike): number | undefined {
	try {
		const stats = lstatSync(path, { throwIfNoEntry: false });
		return stats === undefined ? undefined : stats.isDirectory() ? stats.mode & 0o7777 : 0;
	} catch {
		return 0;
	}
}
