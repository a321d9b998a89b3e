/** One agent from its connection to its end. Resolves to the exit code, with which the caller exits. */
import { setImmediate as turn } from "node:timers/promises";
import { EXIT } from "../core/exit-code.ts";
import { JOINING_NAME } from "../core/machine/joining-name.ts";
import { complain } from "../terminal/print.ts";
import type { Join } from "../wire/agent-messages.ts";
import type { AgentHost } from "./agent-host.ts";
import { connectSupervisor } from "./supervisor-client.ts";

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
