/** A sandbox, in one line. Pure. */
import { isAtOrBelow } from "../core/at-or-below.ts";
import type { Confinement } from "../core/sandbox.ts";
import { oneLine } from "./terminal-safe.ts";

/** `workspace: writes to /p and /tmp, no network`. */
export function describeSandbox(confinement: Confinement): string {
	return `${confinement.mode}: writes to ${listed([...writablePlaces(confinement), "/tmp"])}${describeNetwork(confinement)}`;
}

/** The directories below which everything may be written that is not kept or hidden. */
function writablePlaces({ mounts }: Confinement): string[] {
	const paths = mounts.flatMap(({ as, path }) => (as === "write" ? [path] : []));
	const outer = paths.filter((path) => !paths.some((other) => other !== path && isAtOrBelow(path, other)));
	return [...new Set(outer)].map(oneLine);
}

function describeNetwork({ network, hosts }: Confinement): string {
	switch (network) {
		case "host":
			return "";
		case "none":
			return ", no network";
		case "proxy":
			return hosts.length === 0 ? ", no network" : `, network: ${hosts.map(oneLine).join(" ")}`;
	}
}

function listed(words: readonly string[]): string {
	return words.length < 2 ? words.join() : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}
