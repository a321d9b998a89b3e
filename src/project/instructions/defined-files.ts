/** Files that each define something with a name: a role, a skill, a command. */

import { opendirSync } from "node:fs";
import { join } from "node:path";
import { isAtOrBelow } from "../../core/machine/paths.ts";
import { realPath } from "../../record/files/regular-file.ts";
import type { KeptFile } from "../../wire/supervise-order.ts";
import type { FileRule, Reads } from "./kept-files.ts";

interface Named {
	readonly name: string;
}

export type Definition<T extends Named> =
	| { readonly is: "defined"; readonly what: T }
	| { readonly is: "refused"; readonly why: string };

/** What a file defines, with the file. */
export type OfFile<T extends Named> = T & { readonly file: KeptFile };

export interface Kind<T extends Named> {
	/** As in `/repo/a.md is no role`. */
	readonly called: string;
	readonly fileOf: FileOf;
	readonly read: (file: KeptFile) => Definition<T>;
}

const NAME = /^[\p{L}\p{N}][\p{L}\p{N}_.-]{0,63}$/u;

/** Names are parts of command lines and of prompts, and never of paths. */
export function isName(name: string): boolean {
	return NAME.test(name) && !name.includes("..");
}

/** One of each name, in their order: that of the later place counts. `notices`: files that define nothing, and why, a line each. */
export function definedIn<T extends Named>(
	places: readonly string[],
	kind: Kind<T>,
	{ reads, rule }: { reads: Reads; rule: FileRule },
): { all: OfFile<T>[]; notices: string[] } {
	const byName = new Map<string, OfFile<T>>();
	const notices: string[] = [];
	for (const place of places) {
		const found = namedFiles(place, kind.fileOf, rule);
		notices.push(...found.notices);
		for (const path of found.files) {
			if (reads.isOver) break;
			const read = reads.read(path, rule);
			if (read.is === "missing") continue;
			const definition = read.is === "text" ? kind.read(read.file) : read;
			if (definition.is === "refused") notices.push(`${path} is not a ${kind.called}: ${definition.why}`);
			else if (read.is === "text") byName.set(definition.what.name, { ...definition.what, file: read.file });
		}
	}
	if (reads.isOver) notices.push(`not every ${kind.called} is loaded: too many files`);
	return { all: [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1)), notices };
}

/** Those of `first`, and those of `second` whose names `first` has not. */
export function withoutDoubles<T extends Named>(first: readonly T[], second: readonly T[]): T[] {
	const names = new Set(first.map(({ name }) => name));
	return [...first, ...second.filter(({ name }) => !names.has(name))];
}

/** The files in the places of a kind (`agents/NAME.md`, `skills/NAME/SKILL.md`), in the order of their names; a place may have any number of entries. */

const MAX_ENTRIES = 2_000; // of a place that are looked at
const MAX_FILES = 200; // of a place

/** `fileOf`: the file that an entry of the place stands for, below it; undefined for none. */
type FileOf = (entry: string) => string | undefined;

/** A place that is not there, or may not be read, has none. `notices`: what is not looked at, and why. */
function namedFiles(place: string, fileOf: FileOf, { within }: FileRule): { files: string[]; notices: string[] } {
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
