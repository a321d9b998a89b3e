/**
 * The run that this very process belongs to, or undefined: then, and only then, may it start one of its own. A process
 * that has lost its environment, its session and all its ancestors is still in its run's cgroup, where there is one.
 */
import { socketPath } from "../config/state-directory.ts";
import { cgroupRunOf } from "../processes/cgroup.ts";
import type { ProcessTable } from "../processes/process-table.ts";
import { findSupervisor, type SupervisorAddress } from "./find-supervisor.ts";

export interface OwnProcess {
	readonly env: Readonly<Record<string, string | undefined>>;
	readonly ppid: number;
	readonly getuid?: () => number;
}

export function findOwnSupervisor(own: OwnProcess, table: ProcessTable): SupervisorAddress | undefined {
	return findSupervisor(own.env, own.ppid, table) ?? supervisorOfCgroup(own, table, cgroupRunOf("self"));
}

/** The others in the group know the socket. When none does, the run has hardly a supervisor any more: out of reach. */
export function supervisorOfCgroup(
	{ env, getuid }: OwnProcess,
	table: ProcessTable,
	group: ReturnType<typeof cgroupRunOf>,
): SupervisorAddress | undefined {
	if (group === undefined) return undefined;
	const { run, pids } = group;
	for (const pid of pids()) {
		const { AGENTREE_SOCKET: socket, AGENTREE_AGENT: agent } = table.environment(pid) ?? {};
		if (socket && (agent === run || agent?.startsWith(`${run}/`))) return { socket };
	}
	return { socket: socketPath(env, getuid?.() ?? 0, run) };
}
