/**
 * The ending of an agent whose connection closed without a `finish`. An agent that ends by a bug of ours still sends one, so
 * what remains is a signal that it could not catch. The system keeps the signal only until the parent has waited for the
 * process, and bash waits at once: the look may come too late, and then SIGKILL, the usual one, is inferred.
 */
import { readFileSync } from "node:fs";
import { constants } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { Ending } from "../../core/model/agent.ts";
import {
	hasEnded,
	ifSeen,
	isSameStart,
	type ProcessInfo,
	type ProcessRef,
	type ProcessTable,
} from "../../processes/table/process-table.ts";

const INFERRED: Ending = { by: "killed", signal: "SIGKILL", isInferred: true };
const LOOKS = 100;
const SLOW_LOOKS = 10; // where a look starts a process and takes some 50 ms
const FAILED_LOOK_EVERY_MS = 50;
const LOOK_EVERY_MS = 5; // a process closes its files a moment before it is over

/** Waits for the end of the process, half a second at most: a connection can be lost while the process lives on. */
export async function endingOfDeath(
	{ pid, startTime }: ProcessRef,
	table: Pick<ProcessTable, "freshLook" | "isCostly">,
): Promise<Ending> {
	const looks = table.isCostly ? SLOW_LOOKS : LOOKS;
	for (let looked = 0; looked < looks; looked++) {
		const exitCode = parseExitCode(readStat(pid)); // read before the table: afterwards the pid may be another process's
		const look = await table.freshLook().catch(() => undefined);
		const seen = look === undefined ? undefined : ifSeen(() => look.read(pid));
		if (seen === undefined) {
			await sleep(FAILED_LOOK_EVERY_MS);
			continue;
		}
		const info = seen.seen;
		if (exitCode === 0 && info !== undefined && hasEnded(info) && parseExitCode(readStat(pid)) !== 0) continue; // it ended between the two readings
		const ending = endingOf(info !== undefined && isSameStart(info.startTime, startTime) ? info : undefined, exitCode);
		if (ending !== undefined) return ending;
		await sleep(LOOK_EVERY_MS);
	}
	return { by: "crashed", reason: `its process (pid ${pid}) closed its connection` };
}

/**
 * The ending that a process shows; undefined while it is not over. `info` is undefined when the process is gone. `exitCode`
 * is a status as wait(2) gives it, undefined when the system does not tell.
 */
export function endingOf(info: ProcessInfo | undefined, exitCode: number | undefined): Ending | undefined {
	if (info === undefined) return INFERRED;
	const isOver = hasEnded(info);
	// The kernel sets it before the process is over; for a stopped process it is the signal that stopped it.
	const isSet = exitCode !== undefined && (isOver || (exitCode !== 0 && !/^t/i.test(info.state)));
	if (!isSet) return isOver ? INFERRED : undefined;
	const signal = exitCode & 0x7f;
	if (signal !== 0) return { by: "killed", signal: nameOf(signal) };
	const reason = `its process (pid ${info.pid}) ended with exit status ${exitCode >> 8} before it had finished`;
	return { by: "crashed", reason };
}

/** The exit status in /proc/PID/stat. proc(5): field 52, counted after the name, which may hold spaces and parentheses. */
export function parseExitCode(stat: string): number | undefined {
	const field = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[49];
	const code = field === undefined ? Number.NaN : Number.parseInt(field, 10);
	return Number.isInteger(code) ? code : undefined;
}

function nameOf(signal: number): string {
	const found = Object.entries(constants.signals).find(([, number]) => number === signal);
	return found?.[0] ?? `signal ${signal}`;
}

function readStat(pid: number): string {
	try {
		return readFileSync(`/proc/${pid}/stat`, "latin1");
	} catch {
		return ""; // the process is gone, or there is no /proc
	}
}
