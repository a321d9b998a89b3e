/** Starts the agent that this process is: the root of a run, a child, or a resumed child. Resolves to the exit code. */
import type { SupervisorAddress } from "../core/run/cookie.ts";
import type { AgentHost } from "./agent-host.ts";
import { runAgent } from "./run-agent.ts";
import { childJoin, type JoiningProcess, resumeJoin, rootJoin } from "./start/join-request.ts";

export type StartHost = Omit<AgentHost, "socket"> & JoiningProcess;

export function startRoot(socket: string, host: StartHost): Promise<number> {
	return runAgent(rootJoin(host), { ...host, socket });
}

/** Runs a child agent in this process. Throws AgentreeError("usage") before anything has started. */
export async function startChild(
	supervisor: SupervisorAddress,
	line: Parameters<typeof childJoin>[1],
	host: StartHost,
): Promise<number> {
	return runAgent(await childJoin(supervisor, line, host), { ...host, socket: supervisor.socket });
}

/** Runs an ended child agent again, in this process. Throws AgentreeError("usage") before anything has started. */
export async function resumeChild(
	supervisor: SupervisorAddress,
	line: Parameters<typeof resumeJoin>[1],
	host: StartHost,
): Promise<number> {
	return runAgent(await resumeJoin(supervisor, line, host), { ...host, socket: supervisor.socket });
}
