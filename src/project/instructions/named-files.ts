/** The files in the places of a kind (`agents/NAME.md`, `skills/NAME/SKILL.md`), in the order of their names; a place may have any number of entries. */

import { opendirSync } from "node:fs";
import { join } from "node:path";
import { isAtOrBelow } from "../../core/machine/paths.ts";
import { realPath } from "../../record/files/regular-file.ts";
import type { FileRule } from "./text-file.ts";

const MAX_ENTRIES = 2_000; // of a place that are looked at
const MAX_FILES = 200; // of a place

/** `fileOf`: the file that an entry of the place stands for, below it; undefined for none. */
export type FileOf = (entry: string) => string | undefined;

/** A place that is not there, or may not be read, has none. `notices`: what is not looked at, and why. */
export function namedFiles(
	place: string,
	fileOf: FileOf,
	{ within }: FileRule,
): { files: string[]; notices: string[] } {
	const real = realPath(place);
	if (real === undefined) return { files: [], notices: [] };
	if (within?.some((directory) => isAtOrBelow(real, directory)) === false)
		return { files: [], notices: [`${place} is not used: it is a link that leads to ${real}`] };
	const { entries, isCut } = entriesOf(place);
	const all = entries.sort().flatMap((entry) => fileOf(entry) ?? []);
	const files = all.slice(0, MAX_FILES).map((file) => join(place, file));
	const isAll = !isCut && all.length <= MAX_FILES;
	return { files, notices: isAll ? [] : [`${place} has too many files; some are ignored`] };
}

/** `agents/NAME.md`; what says something of the others is no such file itself. */
export const markdownFile: FileOf = (entry) =>
	entry.endsWith(".md") && entry.toLowerCase() !== "readme.md" ? entry : undefined;

/** `skills/NAME/SKILL.md`. */
export const skillFile: FileOf = (entry) => join(entry, "SKILL.md");

function entriesOf(place: string): { entries: string[]; isCut: boolean } {
	const entries: string[] = [];
	try {
		const opened = opendirSync(place);
		try {
			for (let entry = opened.readSync(); entry !== null; entry = opened.readSync()) {
				if (entries.length === MAX_ENTRIES) return { entries, isCut: true };
				if (!entry.name.startsWith(".")) entries.push(entry.name);
			}
		} finally {
			opened.closeSync();
		}
	} catch {} // not there, no directory, not ours
	return { entries, isCut: false };
}
