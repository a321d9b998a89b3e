/**
 * Sockets in the file system. A read-only mount keeps nobody from connecting to one, so those of other programs are hidden: who
 * listens there acts with the user's rights.
 */
import { readFileSync } from "node:fs";

const MOST = 500; // of one machine

/** The paths of those that somebody listens on now, but for those in `except`. From /proc/net/unix (proc(5)). */
export function socketPlaces(except: (path: string) => boolean): string[] {
	try {
		return pathsIn(readFileSync("/proc/net/unix", "utf8"))
			.filter((path) => !except(path))
			.slice(0, MOST);
	} catch {
		return [];
	}
}

/** Of a socket that listens or takes datagrams: those that are connected have the path of the one that they came from. */
export function pathsIn(table: string): string[] {
	const paths = table.split("\n").flatMap((line) => /^(?:\S+ +){6} *\d+ (\/.*)$/.exec(line)?.[1] ?? []);
	return [...new Set(paths)];
}
