import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** What git takes for a repository, made without git. */
export function makeRepository(directory: string): void {
	for (const name of ["objects", "refs"]) mkdirSync(join(directory, name), { recursive: true });
	writeFileSync(join(directory, "HEAD"), "ref: refs/heads/main\n");
}
