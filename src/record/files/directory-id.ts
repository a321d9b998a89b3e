/** Which directory it is, whatever it is called: a run knows its working directory again when that was renamed. */
import { statSync } from "node:fs";

/**
 * The directory's inode and the time of its birth: an inode alone is given to another directory once the first is gone. Undefined
 * where there is no such directory, or its file system keeps no such time.
 */
export function directoryId(path: string): string | undefined {
	try {
		const found = statSync(path, { bigint: true });
		if (!found.isDirectory() || found.birthtimeNs <= 0n) return undefined;
		return `${found.ino}-${found.birthtimeNs}`;
	} catch {
		return undefined; // gone, or in a directory that may not be searched
	}
}
