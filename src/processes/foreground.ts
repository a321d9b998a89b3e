/** This process as a job of its shell: how it is stopped (Ctrl-Z), and whether it has the terminal. */

import { readFileSync } from "node:fs";
import { absolutePath } from "../core/machine/paths.ts";
import { childProcess } from "./child-process.ts";
import { hasProc } from "./table/open-table.ts";
import { SYSTEM_PS } from "./table/ps-table.ts";

/** The `Job` of terminal/suspension.ts. `signals`: those that wake it while it is stopped. */
export function ownJob(env: Readonly<Record<string, string | undefined>>, signals: readonly number[]) {
	const listeners = new Set<() => void>();
	return {
		onStopAsked: (act: () => void) => {
			listeners.add(act);
			process.on("SIGTSTP", act);
			return () => {
				listeners.delete(act);
				process.off("SIGTSTP", act);
			};
		},
		stop: (whole: boolean) => {
			for (const act of listeners) process.off("SIGTSTP", act); // else the system would not stop this process
			process.kill(whole ? 0 : process.pid, "SIGTSTP");
			for (const act of listeners) process.on("SIGTSTP", act);
		},
		/** What a terminal does at Ctrl-C, when it is not in raw mode. */
		interrupt: () => void process.kill(0, "SIGINT"),
		isInForeground,
		wakeForSignals: () => wakeForSignals(signals, env.PATH ?? ""),
	};
}

/**
 * Wakes a stopped process for signals. The kernel gives a process that is stopped (Ctrl-Z) no signal but KILL and CONT: each
 * other one waits until it goes on, so whoever ends it with TERM would wait, too.
 */

const NAME = "agent wake-for-signals"; // in the process table
const LOOK_SECONDS = 0.5;

/**
 * Bash reads its stdin, which is a pipe from this process: its end means that this process is over or goes on. Until then it
 * looks for waiting signals, and starts no process for that.
 */
const SCRIPT = `
while :; do
	read -r -t ${LOOK_SECONDS} _
	[ $? -gt 128 ] || exit
	waiting=0
	while read -r name value; do
		case $name in SigPnd:|ShdPnd:) waiting=$((waiting | 16#$value)) ;; esac
	done <"/proc/$1/status"
	[ $((waiting & $2)) -eq 0 ] || kill -CONT "$1"
done`;

/**
 * Starts a process outside of this one's group that sends this process CONT when one of the signals waits for it. Returns what
 * ends it; it also ends with this process. Does nothing where there is no /proc: waiting signals are not told there.
 */
export function wakeForSignals(signals: readonly number[], path: string): () => void {
	if (!hasProc()) return () => {};
	const mask = signals.reduce((bits, signal) => bits | (1 << (signal - 1)), 0);
	const waker = childProcess().spawn("bash", ["-c", 'eval "$SCRIPT"', NAME, String(process.pid), String(mask)], {
		...{ argv0: NAME, detached: true, stdio: ["pipe", "ignore", "ignore"], env: { PATH: absolutePath(path), SCRIPT } },
	});
	waker.on("error", () => {}); // no bash, or no room for a process: signals wait
	waker.stdin?.on("error", () => {}); // EPIPE: it was killed
	waker.unref();
	return () => void waker.stdin?.destroy();
}

/** Whether this process may use its terminal. */

/** Process groups: this process's, and the one in the terminal's foreground; not above 0 without a terminal. */
interface Groups {
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
