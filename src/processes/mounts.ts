/** What is mounted, as processes see it (proc_pid_mountinfo(5)). */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { unescaped } from "../core/machine/paths.ts";

export interface MountPoint {
	readonly path: string;
	/** Of the mount itself: `ro`, `nosuid` and the like. */
	readonly options: readonly string[];
}

/** In the order in which they were made. None for a process that is over, or that may not be looked at. */
export function mountsOf(process: number | "self"): MountPoint[] {
	return tableOf(process).flatMap((line) => {
		const [, , , , path, options = ""] = line.split(" ", 6);
		return path === undefined ? [] : [{ path: unescaped(path), options: options.split(",") }];
	});
}

function tableOf(process: number | "self"): string[] {
	try {
		return readFileSync(`/proc/${process}/mountinfo`, "utf8").split("\n");
	} catch {
		return [];
	}
}

/** As `mnt:[4026531841]`. Undefined for a process that is over, or that may not be looked at. */
export function namespaceOf(process: number | "self", kind: "mnt" | "user"): string | undefined {
	try {
		return readlinkSync(`/proc/${process}/ns/${kind}`);
	} catch {
		return undefined;
	}
}

/** Those of the paths on which something is mounted for a process that sees other mounts than this one: in a sandbox. */
export function mountedElsewhere(paths: readonly string[]): string[] {
	const seen = new Set([namespaceOf("self", "mnt"), undefined]);
	const points = new Set<string>();
	for (const name of readdirSync("/proc").filter((each) => /^\d+$/.test(each))) {
		const namespace = namespaceOf(Number(name), "mnt");
		if (seen.has(namespace)) continue;
		seen.add(namespace);
		for (const { path } of mountsOf(Number(name))) points.add(path);
	}
	return paths.filter((path) => points.has(path));
}
