/**
 * Directories in a project from which other programs run what stands there. A mount needs something to stand on: where one is not
 * there, an empty one stands for it while the run goes on, so that no command makes its own.
 */
import { mkdirSync, readdirSync, rmdirSync } from "node:fs";
import { MADE_IN_PROJECT } from "./places.ts";

export const placeholdersIn = (top: string): string[] => MADE_IN_PROJECT.map((name) => `${top}/${name}`);

/** Gives those that are empty: made now, or by another run, which leaves them to the last one. */
export function makePlaceholders(paths: readonly string[]): string[] {
	return paths.filter((path) => {
		try {
			mkdirSync(path, { recursive: true });
			return readdirSync(path).length === 0;
		} catch {
			return false; // something else is there, or nobody here may write to the project
		}
	});
}

export function removePlaceholder(path: string): void {
	try {
		rmdirSync(path);
	} catch {
		// a person has put something there
	}
}
