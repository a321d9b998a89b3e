/**
 * Why an agent's connection closed without a word. An agent says it when it ends by a bug of ours, so what is left is a
 * signal that it could not catch. The system keeps which only until the parent has waited for the process, and a bash
 * waits at once: the look may come too late, and then the one signal that is sent for this, SIGKILL, is inferred.
 */
import { readFileSync } from "node:fs";
import { constants } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { Ending } from "../../core/agent.ts";
import { ifSeen } from "../../processes/failed-look.ts";
import { hasEnded, type ProcessInfo, type ProcessRef, type ProcessTable } from "../../processes/process-table.ts";
import { isSameStart } from "../../processes/start-time.ts";

const INFERRED: Ending = { by: "killed", signal: "SIGKILL", isInferred: true };
const LOOKS = 100;
const SLOW_LOOKS = 10; // where a look costs a process, some 50 ms
const BLIND_LOOK_EVERY_MS = 50;
const LOOK_EVERY_MS = 5; // a process closes its files a moment before it is over

/** Waits for the end of the process for half a second: a connection can be lost without it. */
export async function endingOfDeath(
	{ pid, startTime }: ProcessRef,
	table: Pick<ProcessTable, "freshLook" | "isCostly">,
): Promise<Ending> {
	const looks = table.isCostly ? SLOW_LOOKS : LOOKS;
	for (let looked = 0; looked < looks; looked++) {
		const exitCode = parseExitCode(readStat(pid)); // before the table: what is gone there may have been somebody else here
		const look = await table.freshLook().catch(() => undefined);
		const seen = look === undefined ? undefined : ifSeen(() => look.read(pid));
		if (seen === undefined) {
			await sleep(BLIND_LOOK_EVERY_MS);
			continue;
		}
		const info = seen.seen;
		if (exitCode === 0 && info !== undefined && hasEnded(info) && parseExitCode(readStat(pid)) !== 0) continue; // just now
		const ending = endingOf(info !== undefined && isSameStart(info.startTime, startTime) ? info : undefined, exitCode);
		if (ending !== undefined) return ending;
		await sleep(LOOK_EVERY_MS);
	}
	return { by: "crashed", reason: `its process (pid ${pid}) closed its connection` };
}

/**
 * `info`: undefined when the process is gone. `exitCode`: as wait(2) gives it, undefined when the system does not tell.
 * Gives undefined while it is not over.
 */
export function endingOf(info: ProcessInfo | undefined, exitCode: number | undefined): Ending | undefined {
	if (info === undefined) return INFERRED;
	const isOver = hasEnded(info);
	// Set before the process is over; of a stopped process it is the signal that stopped it.
	const isSet = exitCode !== undefined && (isOver || (exitCode !== 0 && !/^t/i.test(info.state)));
	if (!isSet) return isOver ? INFERRED : undefined;
	const signal = exitCode & 0x7f;
	if (signal !== 0) return { by: "killed", signal: nameOf(signal) };
	const reason = `its process (pid ${info.pid}) ended with exit status ${exitCode >> 8} before it had finished`;
	return { by: "crashed", reason };
}

/** proc(5), stat: field 52, after the name, which may hold spaces and parentheses. */
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
		return ""; // gone, or a system without /proc
	}
}
