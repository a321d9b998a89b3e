/**
 * /proc with start times in the seconds of ps: the fallback of the ps reader while ps cannot be started. In a fork bomb
 * this is the only way to see anything.
 */
import { readFileSync } from "node:fs";
import { cheapTable, type Look, type ProcessInfo, type ProcessTable, procTable } from "./process-table.ts";
import { secondsAsStartTime } from "./start-time.ts";

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
