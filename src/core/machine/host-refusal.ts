/** Why the proxy refuses a host. The supervisor writes it into the line of the status, and the agent reads the host from there. */
import { type HostAndPort, patternFor } from "./host-pattern.ts";

export const REFUSED_BY = "Refused by agentree";
const NOT_ALLOWED = "is not an allowed host";
const LOCAL = "resolves to";
const REFUSED = new RegExp(`^HTTP/1\\.1 403 ${REFUSED_BY}: ([\\w.:[\\]-]{1,270}) (?:${NOT_ALLOWED}|${LOCAL}) `);

export function notAllowed(to: HostAndPort): string {
	return `${patternFor(to)} ${NOT_ALLOWED} for this agent; a person can allow it with --allow-host ${patternFor(to)}`;
}

/** `host`: of the address. */
export function notPublic(to: HostAndPort, host: string): string {
	const named = patternFor({ host, port: to.port });
	return `${to.host} ${LOCAL} ${host}, which is this machine or its local network; a person can allow it with --allow-host ${named}`;
}

/** `answer`: how an answer of the proxy begins. The host, with a port where that is not one of the web; undefined where no host was refused. */
export function refusedHost(answer: string): string | undefined {
	return REFUSED.exec(answer)?.[1];
}
