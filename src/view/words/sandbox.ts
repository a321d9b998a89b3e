/** A sandbox, in one line. Pure. */
import { isAtOrBelow } from "../../core/machine/paths.ts";
import { accessTo, type Confinement, isHidden } from "../../core/machine/sandbox.ts";
import { oneLine } from "../../text/safe/terminal-safe.ts";

/** `workspace: writes to /p and /tmp, no network`. `worktree`: the path of the agent's own one, where it need not be told. */
export function describeSandbox(confinement: Confinement, worktree?: string): string {
	const places = writablePlaces(confinement).map((place) => (place === worktree ? "its worktree" : place));
	const shown = shownPlaces(confinement).map(oneLine);
	const reads = shown.length === 0 ? "" : `, reads ${listed(shown)}`;
	return `${confinement.mode}: writes to ${listed([...places.map(oneLine), "/tmp"])}${reads}${describeNetwork(confinement)}`;
}

/** What would be hidden, and a person has asked for. */
function shownPlaces({ mounts }: Confinement): string[] {
	const shown = mounts.flatMap(({ isShown, path }) => (isShown ? [path] : []));
	return outermost(shown.filter((path) => !isHidden(accessTo(path, mounts))));
}

/** The directories below which everything may be written that is not kept or hidden. */
function writablePlaces({ mounts }: Confinement): string[] {
	const written = mounts.flatMap(({ as, path }) => (as === "write" ? [path] : []));
	return outermost(written.filter((path) => accessTo(path, mounts) === "write"));
}

function outermost(places: readonly string[]): string[] {
	const paths = [...new Set(places)];
	return paths.filter((path) => !paths.some((other) => other !== path && isAtOrBelow(path, other)));
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

/** What is said at the top of every face while a run goes on without a sandbox and without questions; the longest that fits. */

export const SKIPPED_PERMISSIONS = [
	"NO SANDBOX, NO QUESTIONS: agents can do everything you can (--dangerously-skip-permissions)",
	"NO SANDBOX, NO QUESTIONS: agents can do everything you can",
	"NO SANDBOX, NO QUESTIONS",
	"NO SANDBOX",
] as const;
