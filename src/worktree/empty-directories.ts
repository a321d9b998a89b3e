/** Finds the empty directories at and below some; those that cannot be read are none. */
import { readdirSync } from "node:fs";
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
		if (entries?.length === 0) found.push(directory);
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
