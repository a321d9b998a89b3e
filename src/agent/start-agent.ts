/** Starts the agent that this process is: the root of a run, a child, or a resumed child. Resolves to the exit code. */

import { setImmediate as turn } from "node:timers/promises";
import { EXIT } from "../core/errors.ts";
import { JOINING_NAME, type SupervisorAddress } from "../core/run/cookie.ts";
import { complain } from "../terminal/print.ts";
import type { Join } from "../wire/agent-messages.ts";
import type { AgentHost } from "./agent-host.ts";
import { childJoin, type JoiningProcess, resumeJoin, rootJoin } from "./start/join-request.ts";
import { connectSupervisor } from "./supervisor-client.ts";

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

/** One agent from its connection to its end. Resolves to the exit code, with which the caller exits. */

export async function runAgent(join: Join, host: AgentHost): Promise<number> {
	host.setTitle(JOINING_NAME);
	const client = await connectSupervisor(host.socket);
	if ("say" in client) return notStarted(EXIT.outOfReach, client.reason);
	const replying = client.join(join);
	await turn(); // messages are written at the end of a turn of the event loop; what is loaded next must not hold this one up
	const { runJoinedAgent } = await host.loadJoinedAgent();
	const reply = await replying;
	if (reply.say === "unreachable") return notStarted(EXIT.outOfReach, reply.reason);
	if (reply.say === "refused" && reply.code === "usage") return notStarted(EXIT.usage, reply.reason);
	if (reply.say === "refused") return notStarted(EXIT.notStarted, `not started: ${reply.reason}`);
	return runJoinedAgent(reply, client, host);
}

function notStarted(exitCode: number, reason: string): number {
	complain(`agent: ${reason}`);
	return exitCode;
}
