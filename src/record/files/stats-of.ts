import { type Stats, statSync } from "node:fs";

/** Of what a path leads to; undefined for nothing, and where nobody can tell: a link to itself, a directory that may not be entered. */
export function statsOf(path: string): Stats | undefined {
	try {
		return statSync(path);
	} catch {
		return undefined;
	}
}
