/** Files that each define something with a name: a role, a skill, a command. */
import type { KeptFile } from "../../wire/supervise-order.ts";
import type { Reads } from "./kept-files.ts";
import { type FileOf, namedFiles } from "./named-files.ts";
import type { FileRule } from "./text-file.ts";

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
