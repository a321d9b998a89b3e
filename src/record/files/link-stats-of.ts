import { lstatSync, type Stats } from "node:fs";

/** Of what lies at a path itself; undefined for nothing, and where nobody can tell: in what is no directory, or may not be entered. */
export function linkStatsOf(path: string): Stats | undefined {
	try {
		return lstatSync(path);
	} catch {
		return undefined;
	}
}
