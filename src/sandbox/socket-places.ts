/**
 * Sockets of other programs: who listens there acts with the user's rights, and a read-only mount keeps nobody from connecting. The kernel
 * looks for one by the inode of its file (unix_find_bsd in net/unix/af_unix.c), and what is seen through an overlay has another inode. So
 * the homes are seen so, where programs of the user listen, and whoever listens there, by whatever name, since whenever, is out of reach.
 * Elsewhere those are hidden whose path is known.
 */

import { readFileSync } from "node:fs";
import { ifThere } from "../core/if-there.ts";
import { isAtOrBelow } from "../core/machine/paths.ts";
import { deepestOver, type Mount, type Network } from "../core/machine/sandbox.ts";
import { mountsOf } from "../processes/proc-facts.ts";
import { directoriesIn } from "../record/files/regular-file.ts";
import { lookAtPlace } from "./look-at-places.ts";

/** Commands have others there. */
const NOT_SEEN = /^\/(dev|run|tmp|var\/tmp)\//;
/** Each costs every command a mount. */
const MOST = 64;
const MOST_HIDDEN = 200; // a thousand take a command ten seconds, and bwrap takes 9,000 arguments
/** Git's own, which tells a repository's other commands what has changed. */
const OF_GIT = /\/fsmonitor--daemon\.ipc$/;

interface Disk {
	readonly mountPoints: readonly string[];
	/** Without links; of what may not be read nothing. */
	readonly directoriesIn: (path: string) => readonly string[];
}

/** The homes, to be seen through an overlay. One below which something is mounted cannot be: then those in it, as long as they are few. */
export function placesSeenThrough(homes: readonly string[], { mountPoints, directoriesIn }: Disk = DISK): string[] {
	const found: string[] = [];
	const add = (path: string): void => {
		const isWhole = !mountPoints.some((at) => at !== path && isAtOrBelow(at, path));
		if (isWhole) return void found.push(path);
		const inner = directoriesIn(path);
		if (found.length + inner.length <= MOST) for (const each of inner) add(each);
	};
	const isBelowAnother = (home: string) =>
		homes.some((other) => other !== home && other !== "/" && isAtOrBelow(home, other));
	for (const home of homes) if (home !== "/" && !isBelowAnother(home)) add(home);
	return found;
}

const DISK: Disk = {
	get mountPoints() {
		return mountsOf("self").map(({ path }) => path);
	},
	directoriesIn,
};

/** The paths of those that somebody listens on now, without links: nothing can be mounted at the end of a link. */
export function socketPlaces(): string[] {
	const named = pathsIn(socketTable()).filter((path) => path.startsWith("/"));
	const real = named.map(lookAtPlace).flatMap((place) => (place?.isSocket ? [place.path] : []));
	return [...new Set(real)].filter((path) => !OF_GIT.test(path));
}

/** Without those that a person named, and those in what is seen through or is not seen; of very many the first. */
export function socketsToHide(
	sockets: readonly string[],
	mounts: readonly Mount[],
	seenThrough: readonly string[],
): string[] {
	const places = [
		...seenThrough.map((path) => ({ path, isOpen: false })),
		...mounts.map(({ path, isShown }) => ({ path, isOpen: !isShown })),
	];
	const isSeen = (path: string) => deepestOver(path, places)?.isOpen ?? !NOT_SEEN.test(path);
	return sockets.filter(isSeen).slice(0, MOST_HIDDEN);
}

/** A line for the sockets of a desktop that have no path: they belong to the machine's network, and no mount hides them. */
export function desktopSockets(network: Network, table = socketTable()): string[] {
	const found = network === "host" ? pathsIn(table).filter((path) => /^@.*(X11-unix|dbus)/.test(path)) : [];
	if (found.length === 0) return [];
	return [
		`commands can reach the windows of this desktop (${found.slice(0, 2).join(", ")}) and type into them; --net proxy or --net none prevents that`,
	];
}

/** Of sockets that listen or take datagrams: those that are connected have the path of the one that they came from. From /proc/net/unix (proc(5)). */
export function pathsIn(table: string): string[] {
	const paths = table
		.split(/\n(?=[\da-f]+: )/)
		.flatMap((line) => /^(?:\S+ +){6} *\d+ ([/@].*?)\n?$/s.exec(line)?.[1] ?? []);
	return [...new Set(paths)];
}

function socketTable(): string {
	return ifThere(() => readFileSync("/proc/net/unix", "utf8")) ?? "";
}
