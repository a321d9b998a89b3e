/**
 * Node reads the certificates that NODE_EXTRA_CA_CERTS names whenever it starts: 25 to 30 ms for the list of a Linux system
 * (Node 20, measured). An agent talks to nobody but its supervisor, so agents are started with the variable under another
 * name, and give it back to their commands.
 */
import type { Environment } from "./cookie.ts";

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
