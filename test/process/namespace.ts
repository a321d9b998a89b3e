/**
 * Programs that might signal foreign processes run in a pid namespace of their own, whose processes are all started by the
 * test and end with it. A fork bomb runs in a cgroup with a bound on processes, too.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const UNSHARE = ["--user", "--map-root-user", "--pid", "--fork", "--mount-proc", "--kill-child=KILL"] as const;

/** Undefined when the system gives namespaces; else why not, for the title of a test that is skipped. */
export const NO_NAMESPACE: string | undefined = (() => {
	const { status, stderr, error } = spawnSync("unshare", [...UNSHARE, "sh", "-c", "[ $$ = 1 ]"], { encoding: "utf8" });
	return status === 0 ? undefined : (error?.message ?? stderr.trim()) || `unshare: exit status ${status}`;
})();

/**
 * Shell, before a dangerous command: it goes no further unless it is in a pid namespace that is not the one of OUTSIDE
 * (which OUTSIDE below sets) and that holds a handful of processes.
 */
export const ONLY_INSIDE =
	'[ -n "$OUTSIDE" ] && [ "$(readlink /proc/self/ns/pid)" != "$OUTSIDE" ] && [ "$(ls /proc | grep -c "^[0-9]")" -lt 40 ] || exit 99;';
export const OUTSIDE = 'OUTSIDE="$(readlink /proc/self/ns/pid)"; [ -n "$OUTSIDE" ] || exit 99; export OUTSIDE;';

/** Undefined when all of the programs are there; else the name of one that is not. */
export function missing(...programs: string[]): string | undefined {
	const isThere = (name: string) => spawnSync("sh", ["-c", `command -v ${name}`]).status === 0;
	const first = programs.find((name) => !isThere(name));
	return first === undefined ? undefined : `${first} is not installed`;
}

const PLACES = ["/sys/fs/cgroup", "/sys/fs/cgroup/pids"]; // cgroup v2, then v1

/** A cgroup with at most so many processes; undefined where none can be made. Call `remove` when all in it is over. */
export function pidsGroup(maxPids: number): { procs: string; remove: () => void } | undefined {
	for (const place of PLACES) {
		const directory = join(place, `agentree-test-${process.pid}`);
		const remove = () => rmdirSync(directory);
		try {
			mkdirSync(directory);
		} catch {
			continue; // read-only, of another user, or not there
		}
		try {
			// A file that the kernel has not made bounds nothing: `r+` makes none.
			writeFileSync(join(directory, "pids.max"), String(maxPids), { flag: "r+" });
			if (readFileSync(join(directory, "pids.max"), "utf8").trim() === String(maxPids))
				return { procs: join(directory, "cgroup.procs"), remove };
		} catch {} // no pids controller here
		remove();
	}
	return undefined;
}
