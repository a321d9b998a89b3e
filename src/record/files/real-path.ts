import { realpathSync } from "node:fs";

/** The path without links; undefined when it leads nowhere, or nobody can tell where. */
export function realPath(path: string): string | undefined {
	try {
		return path === "" ? undefined : realpathSync.native(path);
	} catch {
		return undefined;
	}
}
