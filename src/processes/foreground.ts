/** Whether this process may use its terminal. */
import { readFileSync } from "node:fs";
import { hasProc } from "./table/open-table.ts";
import { SYSTEM_PS } from "./table/run-ps.ts";

/** Process groups: this process's, and the one in the terminal's foreground; not above 0 without a terminal. */
export interface Groups {
	readonly own: number;
	readonly foreground: number;
}

/** A process in the background that sets a terminal's modes, or reads from it, is stopped by the system. */
export function isInForeground(): boolean {
	return isForemost(hasProc() ? groupsOfStat(readFileSync("/proc/self/stat", "latin1")) : askPs());
}

/** Also true without a terminal, and where the system does not tell. */
export function isForemost({ own, foreground }: Groups): boolean {
	return !(foreground > 0) || own === foreground;
}

/** proc(5): `pid (name) state ppid pgrp session tty_nr tpgid …`. */
export function groupsOfStat(stat: string): Groups {
	const [, , own = 0, , , foreground = 0] = stat
		.slice(stat.lastIndexOf(")") + 2)
		.split(" ")
		.map(Number);
	return { own, foreground };
}

export function groupsOfPs(stdout: string): Groups {
	const [own = 0, foreground = 0] = stdout.trim().split(/\s+/).map(Number);
	return { own, foreground };
}

function askPs(): Groups {
	try {
		return groupsOfPs(SYSTEM_PS.run(["-o", "pgid=,tpgid=", "-p", String(process.pid)]).stdout);
	} catch {
		return { own: 0, foreground: 0 };
	}
}
