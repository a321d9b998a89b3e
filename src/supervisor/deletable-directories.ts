/** The directories in which agents without a sandbox may delete without a question. */
import { realpathSync } from "node:fs";
import { isAtOrBelow } from "../core/at-or-below.ts";
import { repositoryAround } from "../worktree/find-tree.ts";

/** Of what is not to stay. */
const TEMPORARY = ["/tmp", "/var/tmp", "/dev/shm"];

/** By all names that they have: the run's directory and the repository around it, the agent's, and those for temporary files. */
export function deletableDirectories(
	cwds: readonly string[],
	{ HOME, TMPDIR }: Readonly<Record<string, string | undefined>>,
): readonly string[] {
	const tops = cwds.flatMap((cwd) => topAround(realPath(cwd)) ?? []);
	const ofRepository = tops.filter((top) => !isAtOrBelow(realPath(HOME ?? "/"), top)); // a home holds all else, too
	const all = [...cwds, ...ofRepository, ...TEMPORARY, ...(TMPDIR ? [TMPDIR] : [])];
	return [...new Set(all.flatMap((path) => [path, realPath(path)]))];
}

function topAround(directory: string): string | undefined {
	try {
		return repositoryAround(directory)?.top;
	} catch {
		return undefined; // it may not be read
	}
}

function realPath(path: string): string {
	try {
		return realpathSync(path);
	} catch {
		return path; // there is nothing of that name
	}
}
