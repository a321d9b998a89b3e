/** Names of files for Tab: what lies in the directory that was typed so far; else, below the working directory, what is named so. */
import { type Dirent, opendirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Choice } from "./editor.ts";

interface PathPlaces {
	readonly directory: string;
	readonly home: string | undefined;
}

/** Of a larger directory only so many names are looked at: a key must not wait for a disk. */
const MOST_NAMES = 5_000;
/** How much is looked at for a name in the directories below. */
const MOST_SEARCHED = 3_000;
const MOST_FOUND = 50;
const NEVER_SEARCHED: ReadonlySet<string> = new Set(["node_modules", "__pycache__", "target", "dist", "build"]);

/** Hidden ones only when what was typed begins so. Never throws. */
export function pathChoices(typed: string, { directory, home }: PathPlaces): Choice[] {
	if (typed === "~" && home !== undefined) return [{ text: "~/", isPartial: true }];
	const slash = typed.lastIndexOf("/") + 1;
	const [parent, start] = [typed.slice(0, slash), typed.slice(slash)];
	const isOfHome = parent.startsWith("~/") && home !== undefined;
	const where = isOfHome ? join(home, parent.slice(2)) : resolve(directory, parent);
	const names = namesIn(where, MOST_NAMES).filter(({ name }) => start.startsWith(".") || !name.startsWith("."));
	const exact = names.filter(({ name }) => name.startsWith(start));
	const small = start.toLowerCase();
	const found = exact.length > 0 ? exact : names.filter(({ name }) => name.toLowerCase().startsWith(small));
	const choices = found.map((entry) => choiceOf(entry, { where, parent }));
	return choices.length === 0 && slash === 0 && start.length > 1 ? namedBelow(directory, small) : choices;
}

interface Below {
	readonly where: string;
	readonly parent: string;
}

function choiceOf(entry: Dirent, { where, parent }: Below): Choice {
	const { name } = entry;
	if (!isDirectory(entry, where)) return { text: `${parent}${name}`, label: name };
	return { text: `${parent}${name}/`, label: `${name}/`, isPartial: true };
}

function isDirectory(entry: Dirent, where: string): boolean {
	if (!entry.isSymbolicLink()) return entry.isDirectory();
	try {
		return statSync(join(where, entry.name)).isDirectory();
	} catch {
		return false;
	}
}

function namedBelow(directory: string, start: string): Choice[] {
	const parents = [""];
	const choices: Choice[] = [];
	let looked = 0;
	for (const parent of parents) {
		if (looked >= MOST_SEARCHED || choices.length >= MOST_FOUND) break;
		const where = join(directory, parent);
		const entries = namesIn(where, MOST_SEARCHED - looked).filter(({ name }) => !name.startsWith("."));
		looked += entries.length + 1;
		for (const entry of entries) {
			if (parent !== "" && entry.name.toLowerCase().startsWith(start)) {
				const choice = choiceOf(entry, { where, parent });
				choices.push({ ...choice, label: choice.text });
			}
			if (entry.isDirectory() && !NEVER_SEARCHED.has(entry.name)) parents.push(`${parent}${entry.name}/`);
		}
	}
	return choices.slice(0, MOST_FOUND);
}

/** Names that cannot be typed, or are no UTF-8, are left out. */
function namesIn(path: string, most: number): Dirent[] {
	const entries: Dirent[] = [];
	try {
		const opened = opendirSync(path);
		try {
			for (let entry = opened.readSync(); entry !== null && entries.length < most; entry = opened.readSync())
				if (!/[\u0000-\u001f\u007f-\u009f\ufffd"]/.test(entry.name)) entries.push(entry);
		} finally {
			opened.closeSync();
		}
	} catch {} // it is not there, or may not be read: then there is nothing to choose
	return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}
