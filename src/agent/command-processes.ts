/** Which processes belong to a command: the session of its shell, its descendants, and what carries its cookie. */
import { endProcesses } from "../processes/end-processes.ts";
import { findProcesses } from "../processes/find-processes.ts";
import type { ProcessInfo, ProcessRef, ProcessTable } from "../processes/process-table.ts";
import { isOfCommand } from "./environment.ts";
import type { LeftRunning } from "./output.ts";

export interface CommandProcesses {
	readonly shell: ProcessRef;
	/** Some process of it has work to do: it may print at once. */
	isBusy(): boolean;
	/** What lives of it. */
	left(): LeftRunning[];
	/** TERM, grace, KILL. */
	endAll(graceMs: number): Promise<void>;
}

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
		isBusy: () => find().some(({ state }) => state === "R" || state === "D"),
		left: () => (table.newestPid?.() === pid ? [] : find().map(({ pid, name }) => ({ pid, name }))),
		endAll: async (graceMs) => {
			await endProcesses({ find, table, graceMs });
		},
	};
}
