/** The branch that is checked out in a directory, from git's own files: no process is started for a status line. */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { repositoryAround } from "../../project/repository-around.ts";

const SHORT_COMMIT = 7;

/** A commit's beginning where no branch is checked out; undefined outside of a repository, and where it cannot be read. */
export function gitBranch(directory: string): string | undefined {
	try {
		const found = repositoryAround(directory);
		const head = found === undefined ? undefined : headIn(found.repository.directory);
		const [, branch] = /^ref: refs\/heads\/(.+)$/.exec(head ?? "") ?? [];
		return branch ?? head?.slice(0, SHORT_COMMIT);
	} catch {
		return undefined; // a directory that a command has closed, say
	}
}

function headIn(directory: string): string | undefined {
	const path = join(directory, "HEAD");
	return statSync(path).isFile() ? readFileSync(path, "utf8").trim() : undefined; // opening a FIFO waits for a writer
}
