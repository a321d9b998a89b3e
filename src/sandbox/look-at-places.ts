/** What lies at the places that a sandbox is made of. */
import { existsSync, realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { Place } from "./confinement-of.ts";

/** Undefined for what is not there, or may not be looked at. Sockets, pipes and devices are files here. */
export function lookAtPlace(path: string): Place | undefined {
	try {
		const real = realpathSync(path);
		return { path: real, is: statSync(real).isDirectory() ? "directory" : "file" };
	} catch {
		return undefined;
	}
}

/** The directories in whose place a sandbox has others. */
const REPLACED = /^(\/tmp|\/var\/tmp|\/run)\//;
const MACHINE_FILES = ["/etc/resolv.conf", "/etc/hosts", "/etc/localtime", "/run/current-system", "/run/wrappers"];

/**
 * What programs need that lies where a sandbox has another directory: node, the program, the directories of PATH, the files
 * of name resolution. Without links.
 */
export function neededPlaces(run: {
	readonly nodeProgram: string;
	readonly agentProgram: string;
	readonly env: Readonly<Record<string, string>>;
}): string[] {
	const { nodeProgram, agentProgram, env } = run;
	const paths = [
		nodeProgram,
		dirname(dirname(agentProgram)),
		...(env.PATH ?? "").split(":"),
		env.HOME ?? "",
		...MACHINE_FILES,
	];
	const real = paths.filter((path) => path.startsWith("/") && existsSync(path)).map((path) => realpathSync(path));
	return [...new Set(real)].filter((path) => REPLACED.test(path));
}
