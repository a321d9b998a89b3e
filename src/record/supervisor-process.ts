/** The supervisor of a run: its process as the process table shows it, whatever its socket says, and how to ask it. */
import { setTimeout as sleep } from "node:timers/promises";
import { AgentreeError } from "../core/errors.ts";
import type { RunFile } from "../core/schemas/run-files.ts";
import { titleOf } from "../processes/proc-facts.ts";
import { SYSTEM_CLOCK } from "../processes/system-clock.ts";
import { hasProc, isRecordedAlive, isRecordedSuspended } from "../processes/table/open-table.ts";
import { isNamespaceOver, ownIdentity, ownPidNamespace } from "../processes/table/pid-namespace.ts";
import type { ProcessRef } from "../processes/table/process-table.ts";
import type { Supervisor } from "../wire/run-client.ts";
import { connectAsWatcher } from "../wire/watcher-connection.ts";
import { supervisorOf } from "./load-run.ts";
import type { FoundRun } from "./read-run.ts";
import { readRunLock } from "./run-lock.ts";

type SupervisorProcess =
	| ({ readonly is: "alive" | "suspended" } & ProcessRef)
	| { readonly is: "dead" }
	/** In another pid namespace, where its pid means nothing to this process. */
	| { readonly is: "elsewhere"; readonly pid: number };

/** One that may be there: it is asked, or its process is ended. */
export type LivingSupervisor = Exclude<SupervisorProcess, { is: "dead" }>;

const POLL_MS = 25;

/** A run's files name its supervisor: run.json, and before that its lock while a run is just being resumed. */
export function supervisorProcess(
	{ run, directory }: Pick<FoundRun, "run" | "directory">,
	file: Pick<RunFile, "supervisor">,
): SupervisorProcess {
	const owner = readRunLock(directory)?.owner;
	const isHere = owner === undefined || owner.pidNamespace === ownPidNamespace();
	const named = [supervisorOf(file), ...(owner !== undefined && isHere ? [owner] : [])];
	const found = named.find((ref) => isSupervisorOf(run, ref));
	if (found !== undefined) {
		const { pid, startTime } = found;
		return { is: isRecordedSuspended(found) ? "suspended" : "alive", pid, startTime };
	}
	if (isHere || isNamespaceOver(owner.pidNamespace)) return { is: "dead" };
	return { is: "elsewhere", pid: owner.pid };
}

/**
 * True for a living process that is the run's supervisor. Files may name any process, and this one may be killed: so it is
 * believed only when the process itself has the supervisor's title, where the system shows titles.
 */
function isSupervisorOf(run: string, ref: ProcessRef): boolean {
	if (!isRecordedAlive(ref)) return false;
	const title = titleOf(ref.pid);
	return title === undefined ? !hasProc() : isTitleOf(run, title);
}

/** The system may have cut the title at its end. */
function isTitleOf(run: string, title: string): boolean {
	return title.startsWith("agent supervisor") && `agent supervisor ${run}`.startsWith(title);
}

/** Resolves to whether the process has ended within that time. */
export async function isGoneWithin(ms: number, ref: ProcessRef): Promise<boolean> {
	for (let waitedMs = 0; isRecordedAlive(ref); waitedMs += POLL_MS) {
		if (waitedMs >= ms) return false;
		await sleep(POLL_MS);
	}
	return true;
}

/** To ask it. `look`: its process; absent where it is not seen from here, as in a sandbox. */
export function supervisorAt(socket: string, look: Supervisor["look"] = () => "elsewhere"): Supervisor {
	return {
		connect: (onWelcome) => connectAsWatcher(socket, ownIdentity(process.pid), onWelcome),
		look,
		after: SYSTEM_CLOCK.after,
	};
}

/** `the supervisor of run RUN (pid 12)`; without the pid where its process is not seen. */
export function wordsFor(run: string, supervisor?: LivingSupervisor): string {
	return `the supervisor of run ${run}${supervisor === undefined ? "" : ` (pid ${supervisor.pid})`}`;
}

export function unreachable(message: string): AgentreeError {
	return new AgentreeError("out_of_reach", message);
}
