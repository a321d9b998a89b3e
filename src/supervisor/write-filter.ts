/** The filter of system calls of a run's sandboxes, as the file that bwrap reads. */
import { join } from "node:path";
import type { Confinement } from "../core/sandbox.ts";
import { seccompFilter } from "../sandbox/seccomp-filter.ts";
import { replaceText } from "../store/private-files.ts";
import { statsOf } from "../store/stats-of.ts";

const SETGID = 0o2000;

/** False: there is none for this machine. */
export function writeFilter(path: string, confinement: Confinement): boolean {
	const filter = seccompFilter(process.arch, { mayShareGroup: isShared(confinement) });
	if (filter !== undefined) replaceText(path, filter, { mode: 0o400 });
	return filter !== undefined;
}

/** The directories of a project that several people have, and git's with `core.sharedRepository`, have the bit of their group. */
function isShared({ mounts }: Confinement): boolean {
	const places = mounts.filter(({ as }) => as === "write").flatMap(({ path }) => [path, join(path, ".git")]);
	return places.some((path) => ((statsOf(path)?.mode ?? 0) & SETGID) !== 0);
}
