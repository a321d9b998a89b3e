/**
 * Chooses the reader of the process table: /proc where there is one, else ps. `AGENTREE_PROCESS_TABLE=proc|ps`
 * overrides it.
 */

import { existsSync, readFileSync } from "node:fs";
import { usageError } from "../../core/errors.ts";
import { AT_ONCE, endProcesses } from "./end-processes.ts";
import {
	cheapTable,
	clockOf,
	type Look,
	type ProcessInfo,
	type ProcessRef,
	type ProcessTable,
	procTable,
	readAlive,
	secondsAsStartTime,
} from "./process-table.ts";
import { createPsTable, SYSTEM_PS } from "./ps-table.ts";

/** Throws AgentreeError("usage") for an unknown reader. */
export function openProcessTable(env: Readonly<Record<string, string | undefined>>): ProcessTable {
	const { AGENTREE_PROCESS_TABLE: asked } = env;
	if (asked === "ps") return psTable();
	if (asked === "proc") return procTable;
	if (asked) throw usageError(`AGENTREE_PROCESS_TABLE is "${asked}"; it can be proc or ps`);
	return hasProc() ? procTable : psTable();
}

/**
 * Whether a process that a file names is alive. The reader that wrote its start time is asked, whichever this process uses
 * otherwise. False for a start time of a reader that this system does not have.
 */
export function isRecordedAlive(recorded: ProcessRef): boolean {
	return readRecorded(recorded) !== undefined;
}

/** As `isRecordedAlive`, for many processes at one moment: where a look costs much, they share one. */
export function recordedAliveNow(): (recorded: ProcessRef) => boolean {
	const looks = new Map<string, Look>();
	return (recorded) => {
		const clock = clockOf(recorded.startTime);
		const look = looks.get(clock) ?? recorderOf(recorded).look();
		looks.set(clock, look);
		return readAlive(look, recorded) !== undefined;
	};
}

/** Whether the process is alive but stopped by a signal (SIGSTOP, Ctrl-Z): it does nothing until it gets SIGCONT. */
export function isRecordedSuspended(recorded: ProcessRef): boolean {
	return readRecorded(recorded)?.state === "T";
}

/** Sends the signal while the process is alive. One that is another user's gets none. */
export function signalRecorded(recorded: ProcessRef, signal: "SIGTERM" | "SIGCONT"): void {
	if (!isRecordedAlive(recorded)) return;
	try {
		process.kill(recorded.pid, signal);
	} catch {} // ESRCH: it has just ended; EPERM: another user's
}

/** Kills the process at once. Resolves to the survivors: none, or the process itself. */
export function killRecorded(recorded: ProcessRef): Promise<ProcessRef[]> {
	const find = () => [readRecorded(recorded)].filter((info) => info !== undefined);
	return endProcesses({ table: recorderOf(recorded), find, ...AT_ONCE });
}

function readRecorded(recorded: ProcessRef): ProcessInfo | undefined {
	return readAlive(recorderOf(recorded), recorded);
}

/** The table whose start times the recorded one can be compared with. */
export function recorderOf({ startTime }: Pick<ProcessRef, "startTime">): ProcessTable {
	switch (clockOf(startTime)) {
		case "ticks":
			return procTable; // finds no process where there is no /proc
		case "seconds":
			return psTable();
	}
}

function psTable(): ProcessTable {
	return createPsTable(process.platform, SYSTEM_PS, { fallback: hasProc() ? createProcInSeconds() : undefined });
}

/** Whether the system has a /proc as Linux has it. */
export function hasProc(): boolean {
	return existsSync("/proc/self/stat"); // FreeBSD's /proc has another form
}

/**
 * /proc with start times in the seconds of ps: the fallback of the ps reader while ps cannot be started. In a fork bomb
 * this is the only way to see anything.
 */

const TICKS_PER_SECOND = 100; // USER_HZ of every Linux that Node runs on

/** The table of /proc with converted start times. `stat` reads /proc/stat. */
export function createProcInSeconds(proc: Look = procTable, stat = readStat): ProcessTable {
	const converted = (info: ProcessInfo, bootSeconds: number): ProcessInfo => ({
		...info,
		startTime: secondsAsStartTime(bootSeconds + Math.floor(Number(info.startTime) / TICKS_PER_SECOND)),
	});
	return cheapTable({
		list: () => {
			const bootSeconds = parseBootTime(stat());
			return proc.list().map((info) => converted(info, bootSeconds));
		},
		read: (pid) => {
			const info = proc.read(pid);
			return info === undefined ? undefined : converted(info, parseBootTime(stat()));
		},
		environment: proc.environment,
	});
}

/** When the system started, in seconds since the epoch. proc_stat(5): `btime`. */
function parseBootTime(stat: string): number {
	return Number(/^btime (\d+)$/m.exec(stat)?.[1]);
}

function readStat(): string {
	return readFileSync("/proc/stat", "latin1");
}
