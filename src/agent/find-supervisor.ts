/**
 * Which run this process belongs to. The environments of its ancestors are asked before its own: `env -i` clears its
 * own, and a variable that a command has set may point anywhere. Its own is believed when no ancestor knows a run, as
 * for a process that was double-forked away.
 */
import type { ProcessTable } from "../processes/process-table.ts";

const MAX_ANCESTORS = 256;

export interface SupervisorAddress {
	socket: string;
	token?: string;
	command?: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

export function findSupervisor(own: Environment, parent: number, table: ProcessTable): SupervisorAddress | undefined {
	const inherited = firstWithSocket(parent, table);
	const isOwnTrue = inherited === undefined || inherited.AGENTREE_SOCKET === own.AGENTREE_SOCKET;
	return addressIn(isOwnTrue ? own : inherited);
}

function firstWithSocket(parent: number, table: ProcessTable): Environment | undefined {
	const now = table.snapshot?.() ?? table;
	let pid = parent;
	for (let step = 0; pid > 0 && step < MAX_ANCESTORS; step++) {
		const environment = now.environment(pid);
		if (environment?.AGENTREE_SOCKET) return environment;
		pid = now.read(pid)?.parent ?? 0;
	}
	return undefined;
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
