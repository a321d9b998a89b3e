/** Takes in a command that an agent tells of, as far as the kernel shows its shell. */

import type { CommandStart } from "../../core/command.ts";
import type { AgentId } from "../../core/model/agent.ts";
import { createProcInSeconds, hasProc } from "../../processes/table/open-table.ts";
import { hostPid, type NamespaceFacts } from "../../processes/table/pid-namespace.ts";
import { ifSeen, type Look, type ProcessTable } from "../../processes/table/process-table.ts";
import type { RunProcesses } from "./run-processes.ts";

interface Told {
	readonly agent: AgentId;
	/** The agent's own pid; undefined when the run does not know the agent. */
	readonly home: number | undefined;
	readonly start: Pick<CommandStart, "command" | "pid" | "startTime">;
}

interface ToldDeps {
	readonly table: ProcessTable;
	readonly processes: RunProcesses;
	readonly facts: NamespaceFacts;
	/** That of the supervisor. */
	readonly pidNamespace: string | null;
}

/** Gives the pid that the shell has here; undefined when the shell is not to be seen. */
export function addTold(told: Told, { processes, ...deps }: ToldDeps): number | undefined {
	const look = cheapLook(deps.table);
	const pid = pidHere(told, deps);
	if (pid === undefined) return undefined;
	const { agent, start } = told;
	const command = { agent, command: start.command, pid, startTime: start.startTime };
	if (ifSeen(() => processes.addCommand(command, look)) === undefined) processes.addCommand(command, undefined);
	return pid;
}

/** Where a look starts a process there is no time for one at each command; beside `ps` there may be a /proc. */
function cheapLook(table: ProcessTable): Pick<Look, "read" | "environment"> | undefined {
	if (!table.isCostly) return table;
	return hasProc() ? createProcInSeconds() : undefined;
}

/** An agent in a pid namespace of its own tells the pid that its shell has there. */
function pidHere({ home, start: { pid } }: Told, deps: Omit<ToldDeps, "processes">): number | undefined {
	const { table, facts, pidNamespace: own } = deps;
	const pidNamespace = own === null || home === undefined ? own : facts.namespaceOf(home);
	if (pidNamespace === undefined) return pid; // the agent is over
	const pids = () => ifSeen(() => table.look().list())?.seen.map((info) => info.pid) ?? [];
	return hostPid({ pid, pidNamespace }, { own, pids, facts, mayBeOver: true });
}
