/** The files of instructions below a directory. Agents are told their paths alone, and read those of a directory in which they come to work. */
import { type Dirent, statSync } from "node:fs";
import { join, relative } from "node:path";
import { isAtOrBelow } from "../../core/machine/paths.ts";
import { preview } from "../../core/preview.ts";
import { entriesIn, realPath } from "../../record/files/regular-file.ts";
import { promptPath } from "../../text/prompt-path.ts";
import { INSTRUCTION_NAMES } from "./instruction-files.ts";

const MAX_DIRECTORIES = 2_000; // that are looked into, the nearest first
const MAX_LISTED = 40;
const MAX_PATH = 300; // characters
/** What others have written, and copies. */
const PASSED_OVER: ReadonlySet<string> = new Set(["node_modules", "vendor", "venv", "target", "dist"]);

/** From the directory on. No link is followed to a directory, and none out of it to a file; a repository in it is another project. */
export function instructionsBelow(directory: string): string[] {
	const found: string[] = [];
	let level = [directory];
	for (let left = MAX_DIRECTORIES; level.length > 0 && left > 0; ) {
		const looked = level
			.slice(0, left)
			.map((at) => ({ at, entries: entriesIn(at).sort((a, b) => (a.name < b.name ? -1 : 1)) }));
		left -= looked.length;
		level = [];
		for (const { at, entries } of looked) {
			const isProject = at !== directory && entries.some(({ name }) => name === ".git");
			if (isProject) continue;
			const name = at === directory ? undefined : nameIn(at, entries, directory);
			if (name !== undefined) found.push(relative(directory, join(at, name)));
			if (found.length > MAX_LISTED) return found;
			level.push(...entries.filter(mayBeWorkedIn).map((entry) => join(at, entry.name)));
		}
	}
	return found;
}

/** The part of a system prompt that lists them. Undefined when there are none. */
export function belowText(paths: readonly string[]): string | undefined {
	if (paths.length === 0) return undefined;
	const listed = paths.slice(0, MAX_LISTED).map((path) => preview(promptPath(path), MAX_PATH));
	const more = paths.length > MAX_LISTED ? ", and more: find . -name AGENTS.md" : "";
	return `Directories below have their own instructions, which apply there like those of this project. Read them before you work there: ${listed.join(", ")}${more}`;
}

function nameIn(at: string, entries: readonly Dirent[], top: string): string | undefined {
	return INSTRUCTION_NAMES.find((name) => {
		const entry = entries.find((each) => each.name === name);
		if (entry?.isSymbolicLink() !== true) return entry?.isFile() === true;
		const real = realPath(join(at, name));
		return real !== undefined && isAtOrBelow(real, top) && statSync(real).isFile();
	});
}

function mayBeWorkedIn(entry: Dirent): boolean {
	return entry.isDirectory() && !entry.name.startsWith(".") && !PASSED_OVER.has(entry.name);
}
