/**
 * The cookie: variables in the environment of a process that tell its place in a run. `AGENTREE_AGENT` names the agent whose command
 * it is (`RUN/1.2`; the bare `RUN` for the root agent itself), `AGENTREE_COMMAND` which of its commands, and
 * `AGENTREE_TRAIL` that command with all commands above it: `RUN 1:3 1.2:1` is command 1 of agent 1.2, which command 3 of
 * agent 1 started. `AGENTREE_SOCKET` is where the supervisor listens, `AGENTREE_TOKEN` proves it.
 */

import { defined } from "../defined.ts";
import { type AgentId, isWithin } from "../model/agent.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

export interface CookieFields {
	readonly run: string;
	readonly agent: AgentId;
	readonly command: number;
	readonly token: string;
	readonly socket: string;
}

/** The cookie of a command. `above` is the environment of its agent, whose trail it extends. */
export function commandCookie(fields: CookieFields, above: Environment): Record<string, string> {
	const { run, agent, command, token, socket } = fields;
	const trail = isWithinTrail(above.AGENTREE_TRAIL, run) ? above.AGENTREE_TRAIL : run;
	return {
		AGENTREE_SOCKET: socket,
		AGENTREE_TOKEN: token,
		AGENTREE_AGENT: `${run}/${agent}`,
		AGENTREE_COMMAND: String(command),
		AGENTREE_TRAIL: `${trail} ${agent}:${command}`,
	};
}

/** The cookie of the root agent's own process. */
export function rootCookie({ run, socket }: Pick<CookieFields, "run" | "socket">): Record<string, string> {
	return { AGENTREE_SOCKET: socket, AGENTREE_AGENT: run };
}

/** The cookie of what is started for an agent, and is none of its commands. */
export function helperCookie({
	run,
	socket,
	agent,
}: Pick<CookieFields, "run" | "socket" | "agent">): Record<string, string> {
	return { AGENTREE_SOCKET: socket, AGENTREE_AGENT: `${run}/${agent}` };
}

/** The cookie of what is started for a command beside it, by which its processes are told from all others of the agent. */
export function besideCookie(
	{ run, agent, command }: Omit<CookieFields, "token" | "socket">,
	name: string,
	commandsAbove: readonly string[],
): Record<string, string> {
	return {
		AGENTREE_COMMAND: name,
		AGENTREE_TRAIL: [run, ...commandsAbove, `${agent}:${command}`, `${agent}:${name}`].join(" "),
	};
}

/** The run and agent of a cookie; `agent` is undefined for the root agent's own process. Undefined without a cookie. */
export function parseCookie({
	AGENTREE_AGENT: cookie,
}: Environment): { readonly run: string; readonly agent: AgentId | undefined } | undefined {
	const [run, agent] = cookie?.split("/") ?? [];
	return run ? { run, agent: agent || undefined } : undefined;
}

/** True for the environment of a command of that agent or of an agent below it. */
export function isCookieWithin(environment: Environment, run: string, agent: AgentId): boolean {
	const cookie = parseCookie(environment);
	return cookie?.run === run && cookie.agent !== undefined && isWithin(cookie.agent, agent);
}

/** True for the environment of a process that belongs to the command with the environment `command`, or to one below it. */
export function isOfCommand(environment: Environment, command: Environment): boolean {
	const { AGENTREE_AGENT: agent, AGENTREE_COMMAND: number, AGENTREE_TRAIL: trail } = command;
	if (trail !== undefined && isWithinTrail(environment.AGENTREE_TRAIL, trail)) return true;
	return agent !== undefined && environment.AGENTREE_AGENT === agent && environment.AGENTREE_COMMAND === number;
}

/** The token of the agent whose command a process with this environment is of. */
export function tokenIn({ AGENTREE_TOKEN: token }: Environment): string | undefined {
	return token || undefined;
}

export interface SupervisorAddress {
	readonly socket: string;
	readonly token?: string;
	/** The number of the command to which a process with this environment belongs. */
	readonly command?: number;
}

/** The address of the supervisor that an environment names; undefined when it names none. */
export function addressIn(environment: Environment): SupervisorAddress | undefined {
	const { AGENTREE_SOCKET: socket, AGENTREE_TOKEN: token, AGENTREE_COMMAND: command } = environment;
	if (!socket) return undefined;
	return {
		socket,
		...defined({ token: token || undefined }),
		...defined({ command: command !== undefined && /^\d+$/.test(command) ? Number(command) : undefined }),
	};
}

function isWithinTrail(trail: string | undefined, above: string): boolean {
	return trail === above || trail?.startsWith(`${above} `) === true;
}

/**
 * What a process that joins a run is named until it is an agent (`process.title`). Only a process itself can change its name
 * in /proc/PID/comm, so nobody joins in another process's place: with that connection an agent's end would end the other.
 */
export const JOINING_NAME = "agent joining"; // the kernel keeps 15 bytes

/**
 * Node reads the certificates that NODE_EXTRA_CA_CERTS names whenever it starts: 25 to 30 ms for the list of a Linux system
 * (Node 20, measured). An agent talks to nobody but its supervisor, so agents are started with the variable under another
 * name, and give it back to their commands.
 */
export const EXTRA_CERTIFICATES = "NODE_EXTRA_CA_CERTS";
export const EXTRA_CERTIFICATES_ASIDE = "AGENTREE_NODE_EXTRA_CA_CERTS";

/** The environment of an agent's process, from that of a command or of a run. */
export function withCertificatesAside(environment: Environment): Record<string, string | undefined> {
	const { [EXTRA_CERTIFICATES]: path, ...others } = environment;
	return path ? { ...others, [EXTRA_CERTIFICATES_ASIDE]: path } : others;
}

/** What an agent gives back to a command's environment: nothing, or the variable. */
export function certificatesFrom({ [EXTRA_CERTIFICATES_ASIDE]: path }: Environment): Record<string, string> {
	return path ? { [EXTRA_CERTIFICATES]: path } : {};
}
