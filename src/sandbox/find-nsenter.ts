/**
 * nsenter(1), which starts a command in the network of its agent, and where the run's layers are mounted. Looked for in the system's
 * directories alone: what PATH names might be a file of the agent's own.
 */
import { accessSync, constants } from "node:fs";

const PLACES = ["/usr/bin/nsenter", "/bin/nsenter", "/usr/sbin/nsenter", "/run/current-system/sw/bin/nsenter"];

export const NO_NSENTER = "nsenter was not found (package util-linux)";

export function findNsenter(): string | undefined {
	return PLACES.find((path) => {
		try {
			accessSync(path, constants.X_OK);
			return true;
		} catch {
			return false;
		}
	});
}
