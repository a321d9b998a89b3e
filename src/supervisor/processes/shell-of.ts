import { isAlive, type ProcessRef, type ProcessTable } from "../../processes/process-table.ts";
import { isOtherStart } from "../../processes/start-time.ts";

/**
 * Whether a process may be the shell of a command, as its agent claims. It matters since all that is in the shell's session
 * is ended with the agent. A shell is a child of its agent, until the agent has ended; of a shell that has ended only the
 * session is left. Where a look starts a process the agent is believed: it joined from this pid namespace.
 */
export function mayBeShell(shell: ProcessRef, agent: ProcessRef, table: ProcessTable): boolean {
	if (shell.pid <= 1 || shell.pid === agent.pid) return false;
	const info = table.isCostly ? undefined : table.read(shell.pid);
	if (info === undefined) return true;
	if (isOtherStart(info.startTime, shell.startTime)) return false;
	return info.parent === agent.pid || !isAlive(table, agent);
}
