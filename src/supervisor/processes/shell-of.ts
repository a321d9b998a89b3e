import { isAlive, type ProcessRef, type ProcessTable } from "../../processes/process-table.ts";
import { isOtherStart } from "../../processes/start-time.ts";

/**
 * Whether a process may be the shell of a command of that agent, as the agent says: whatever is in its session will be
 * ended with the agent. A shell is started by its agent. Of one that has ended only the session is left, and one whose
 * agent has ended has another parent. Where a look costs a process the agent is believed: it has told its pid namespace.
 */
export function mayBeShell(shell: ProcessRef, agent: ProcessRef, table: ProcessTable): boolean {
	if (shell.pid <= 1 || shell.pid === agent.pid) return false;
	const info = table.isCostly ? undefined : table.read(shell.pid);
	if (info === undefined) return true;
	if (isOtherStart(info.startTime, shell.startTime)) return false;
	return info.parent === agent.pid || !isAlive(table, agent);
}
