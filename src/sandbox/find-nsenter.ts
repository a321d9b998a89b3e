/**
 * nsenter(1), which starts a command in the network of its agent. Looked for in the system's
 * directories alone: what PATH names might be a file of the agent's own.
 */
import { existsSync } from "node:fs";

const PLACES = ["/usr/bin/nsenter", "/bin/nsenter", "/usr/sbin/nsenter", "/run/current-system/sw/bin/nsenter"];

export const NO_NSENTER = "nsenter was not found (package util-linux)";

export function findNsenter(): string | undefined {
	return PLACES.find((path) => existsSync(path));
}
