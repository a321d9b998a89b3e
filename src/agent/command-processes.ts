/** Which processes belong to a command: the session of its shell, its descendants, and what carries its cookie. */
import { setTimeout as sleep } from "node:timers/promises";
import { endProcesses } from "../processes/end-processes.ts";
import { findProcesses } from "../processes/find-processes.ts";
import type { ProcessInfo, ProcessRef, ProcessTable } from "../processes/process-table.ts";
import { isOfCommand } from "./environment.ts";
import type { LeftRunning } from "./output.ts";

export interface CommandProcesses {
	readonly shell: ProcessRef;
	/** Some process of it has work to do: it may print at once. */
	isBusy(): boolean;
	/** What lives of it, and is not just about to end. */
	left(): Promise<LeftRunning[]>;
	/** TERM, grace, KILL. */
	endAll(graceMs: number): Promise<void>;
}

// An ending process closes its files, and so the pipe, before it is over: what is at work gets a moment to end.
const MAX_LOOKS = 5;
const LOOK_MS = 10;

export function processesOf(
	{ pid }: { readonly pid: number },
	{ table, env }: { readonly table: ProcessTable; readonly env: Record<string, string> },
): CommandProcesses {
	const startTime = table.read(pid)?.startTime ?? "0";
	const shell = { pid, startTime };
	const find = (): ProcessInfo[] => {
		const cookie = (environment: Record<string, string>) => isOfCommand(environment, env);
		try {
			return findProcesses(table, { roots: [shell], sessions: [pid], cookie, startedSince: startTime, except: [] });
		} catch {
			return []; // EMFILE: /proc cannot be read now; a result that names nothing is better than none
		}
	};
	return {
		shell,
		isBusy: () => find().some(isAtWork),
		left: async () => {
			if (table.newestPid?.() === pid) return [];
			let found = find();
			for (let look = 0; look < MAX_LOOKS && found.some(isAtWork); look++) {
				await sleep(LOOK_MS);
				found = find();
			}
			return found.map(({ pid, name }) => ({ pid, name }));
		},
		endAll: async (graceMs) => {
			await endProcesses({ find, table, graceMs });
		},
	};
}

function isAtWork({ state }: ProcessInfo): boolean {
	return state === "R" || state === "D";
}
