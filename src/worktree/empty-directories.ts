/** Finds the empty directories at and below some; those that cannot be read, or stand there for a sandbox alone, are none. */
import { readdirSync } from "node:fs";
import { isPlaceholder, PLACEHOLDERS } from "../store/placeholders.ts";
import { placeOf } from "./look-at.ts";

const MAX_LOOKED_AT = 2_000;

/** Each without a slash at its end. */
export function emptyDirectoriesIn(top: string, directories: readonly string[]): string[] {
	const open = directories.map((directory) => directory.replace(/\/$/, ""));
	const found: string[] = [];
	for (let looks = 0; looks < MAX_LOOKED_AT; looks++) {
		const directory = open.pop();
		if (directory === undefined) break;
		const entries = entriesOf(placeOf(top, directory));
		if (entries?.length === 0 && !isMade(top, directory)) found.push(directory);
		for (const entry of entries ?? [])
			if (entry.isDirectory()) open.push(`${directory}/${entry.name.toString("latin1")}`);
	}
	return found.sort();
}

function entriesOf(place: Buffer) {
	try {
		return readdirSync(place, { withFileTypes: true, encoding: "buffer" });
	} catch {
		return undefined;
	}
}

function isMade(top: string, directory: string): boolean {
	return PLACEHOLDERS.includes(directory) && isPlaceholder(placeOf(top, directory));
}
