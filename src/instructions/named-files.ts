/** The files of a directory whose names end in a certain way, in the order of their names; a directory may have any number. */
import { opendirSync } from "node:fs";
import { join } from "node:path";

const MAX_ENTRIES = 2_000; // that are looked at
const MAX_FILES = 200;

export interface NamedFiles {
	/** Paths. */
	readonly files: readonly string[];
	/** Not all of them are there. */
	readonly isCut: boolean;
}

const NONE: NamedFiles = { files: [], isCut: false };

/** Of a directory that is not there, or may not be read, there are none. */
export function namedFiles(directory: string, isNamed: (name: string) => boolean): NamedFiles {
	try {
		const opened = opendirSync(directory);
		try {
			const names: string[] = [];
			let entries = 0;
			for (let entry = opened.readSync(); entry !== null && entries < MAX_ENTRIES; entry = opened.readSync()) {
				entries++;
				if (!entry.name.startsWith(".") && isNamed(entry.name)) names.push(entry.name);
			}
			const files = names.sort().slice(0, MAX_FILES);
			return {
				files: files.map((name) => join(directory, name)),
				isCut: entries === MAX_ENTRIES || names.length > MAX_FILES,
			};
		} finally {
			opened.closeSync();
		}
	} catch {
		return NONE;
	}
}
