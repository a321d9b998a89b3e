/**
 * Which run this process belongs to. The environments of its ancestors are asked before its own: `env -i` clears its
 * own, and a variable that a command has set may point anywhere. The topmost ancestor that knows a run is believed:
 * below it no run can have been started, so another address there was set by hand. Its own environment is believed
 * when no ancestor knows a run, as for a process that was double-forked away.
 */
import type { ProcessTable } from "../../processes/process-table.ts";

const MAX_ANCESTORS = 256;

export interface SupervisorAddress {
	socket: string;
	token?: string;
	command?: number;
}

export type Environment = Readonly<Record<string, string | undefined>>;

export function findSupervisor(own: Environment, parent: number, table: ProcessTable): SupervisorAddress | undefined {
	const above = environmentsAbove(parent, table).filter(({ AGENTREE_SOCKET }) => AGENTREE_SOCKET);
	const socket = above.at(-1)?.AGENTREE_SOCKET ?? own.AGENTREE_SOCKET;
	return addressIn([own, ...above].find(({ AGENTREE_SOCKET }) => AGENTREE_SOCKET === socket) ?? {});
}

/** Of its ancestors, the nearest first; without those that may not be read. */
export function environmentsAbove(parent: number, table: ProcessTable): Environment[] {
	const now = table.snapshot?.() ?? table;
	const found: Environment[] = [];
	let pid = parent;
	for (let step = 0; pid > 0 && step < MAX_ANCESTORS; step++) {
		const environment = now.environment(pid);
		if (environment !== undefined) found.push(environment);
		pid = now.read(pid)?.parent ?? 0;
	}
	return found;
}

function addressIn(environment: Environment): SupervisorAddress | undefined {
	const { AGENTREE_SOCKET: socket, AGENTREE_TOKEN: token, AGENTREE_COMMAND: command } = environment;
	if (!socket) return undefined;
	return {
		socket,
		...(token ? { token } : {}),
		...(command !== undefined && /^\d+$/.test(command) ? { command: Number(command) } : {}),
	};
}
