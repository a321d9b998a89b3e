/** What tells a process of a person from one that has lost everything that it had of its run. */
import { readFileSync } from "node:fs";

/** Whether the two are in the same cgroup, and the first has no terminal. False where the system does not tell. */
export function isUnmarked(pid: number, other: number): boolean {
	try {
		return (
			!hasTerminal(pid) && readFileSync(`/proc/${pid}/cgroup`, "utf8") === readFileSync(`/proc/${other}/cgroup`, "utf8")
		);
	} catch {
		return false;
	}
}

/** proc(5), stat: `pid (name) state ppid pgrp session tty_nr …`; 0 for none. */
function hasTerminal(pid: number): boolean {
	const text = readFileSync(`/proc/${pid}/stat`, "latin1");
	return text.slice(text.lastIndexOf(")") + 2).split(" ")[4] !== "0";
}
