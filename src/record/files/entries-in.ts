import { type Dirent, readdirSync } from "node:fs";

/** What lies in a directory; nothing in what is not there, is none, or may not be read. */
export function entriesIn(directory: string): Dirent[] {
	try {
		return readdirSync(directory, { withFileTypes: true });
	} catch {
		return [];
	}
}

/** Their names. */
export function namesIn(directory: string): string[] {
	try {
		return readdirSync(directory);
	} catch {
		return [];
	}
}
