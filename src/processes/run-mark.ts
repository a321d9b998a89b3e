/**
 * The mark of a run: a number that the kernel keeps with each of its processes. It stands in their limit of file locks
 * (RLIMIT_LOCKS), which bounds nothing since Linux 2.4.25: getrlimit(2). All that a process starts inherits its limits, whatever
 * it does to its environment, session, parents, output and pid namespace, and only root can raise one again. Everybody may
 * read them: proc_pid_limits(5). A mark says which run, not which agent.
 */

import { readFileSync } from "node:fs";
import { ifThere } from "../core/if-there.ts";

const FIRST = 2 ** 52; // nobody sets a limit as high as that by hand
const MARKS = 2 ** 32;

/** The same run has the same mark in every process. */
export function markOf(run: string): number {
	let hash = 0x811c9dc5; // FNV-1a, 32 bits
	for (const character of run) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193);
	return FIRST + (hash >>> 0);
}

/** Undefined for a process without one, and where the system does not tell. */
export function readMark(pid: number | "self"): number | undefined {
	return ifThere(() => parseMark(readFileSync(`/proc/${pid}/limits`, "latin1"))); // it is over, or there is no /proc
}

/** Whether a process has the mark of another run. One that this process has itself comes from above both: its run is over. */
export function hasOtherMark(pid: number, run: string): boolean {
	const mark = readMark(pid);
	return mark !== undefined && mark !== markOf(run) && mark !== readMark("self");
}

/** `Max file locks  4503599631265792  4503599631265792  locks`: the hard limit, which a process cannot raise. */
export function parseMark(limits: string): number | undefined {
	const mark = Number(/^Max file locks +\S+ +(\d+)/m.exec(limits)?.[1]);
	return mark >= FIRST && mark < FIRST + MARKS ? mark : undefined;
}
