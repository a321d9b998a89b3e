/** What /proc tells of a process beside the process table: its mounts, its names, its open files, its limit of them. */

import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { ifThere } from "../core/if-there.ts";
import { unescaped } from "../core/machine/paths.ts";

export interface MountPoint {
	readonly path: string;
	/** Of the mount itself: `ro`, `nosuid` and the like. */
	readonly options: readonly string[];
}

/** Of proc_pid_mountinfo(5), in the order in which they were made. None for a process that is over, or that may not be looked at. */
export function mountsOf(process: number | "self"): MountPoint[] {
	return tableOf(process).flatMap((line) => {
		const [, , , , path, options = ""] = line.split(" ", 6);
		return path === undefined ? [] : [{ path: unescaped(path), options: options.split(",") }];
	});
}

function tableOf(process: number | "self"): string[] {
	return ifThere(() => readFileSync(`/proc/${process}/mountinfo`, "utf8").split("\n")) ?? [];
}

/** As `mnt:[4026531841]`. Undefined for a process that is over, or that may not be looked at. */
export function namespaceOf(process: number | "self", kind: "mnt" | "user"): string | undefined {
	return ifThere(() => readlinkSync(`/proc/${process}/ns/${kind}`));
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

/** The title that a process has given itself (`process.title`), or else the first of its arguments. Cut by the system to the room that its arguments had. Undefined where there is no /proc, and for a process that is over. */
export function titleOf(pid: number): string | undefined {
	try {
		const [title] = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
		return title;
	} catch {
		return undefined;
	}
}

/** The name of a process, of 15 bytes at most, which only that process itself can change. Undefined as for `titleOf`. */
export function processName(pid: number): string | undefined {
	return ifThere(() => readFileSync(`/proc/${pid}/comm`, "latin1").trimEnd());
}

interface OpenFiles {
	readonly paths: readonly string[];
	/** None of the processes may not be looked at, as another user's may not. */
	readonly isAll: boolean;
}

/** The paths of the files called `name` that processes with that name have open; of that 15 bytes count. */
export function openFilesNamed(name: string, program: string): OpenFiles {
	const pids = readdirSync("/proc").filter((each) => /^\d+$/.test(each));
	const named = pids.filter((pid) => processName(Number(pid)) === program.slice(0, 15));
	const files = named.map(openFilesOf);
	const paths = files.flatMap((each) => each ?? []).filter((path) => path.endsWith(`/${name}`));
	return { paths: [...new Set(paths)], isAll: !files.includes(undefined) };
}

function openFilesOf(pid: string): string[] | undefined {
	try {
		return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => openFile(`/proc/${pid}/fd/${fd}`));
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === "EACCES" ? undefined : []; // it is over
	}
}

function openFile(fd: string): string[] {
	return ifThere(() => [readlinkSync(fd)]) ?? []; // it is closed
}

/** How many files a process may have open. At its start Node raises its own soft limit to the hard one. */
interface FileLimit {
	readonly soft: number;
	readonly hard: number;
}

/** The limit of a process; undefined where it cannot be read. */
export function readFileLimit(pid: number | "self"): FileLimit | undefined {
	return ifThere(() => parseFileLimit(readFileSync(`/proc/${pid}/limits`, "latin1"))); // not Linux, another user's process, or over
}

/** proc(5): `Max open files            1024                 524288               files`. */
export function parseFileLimit(text: string): FileLimit | undefined {
	const [, soft, hard] = /^Max open files +(\d+|unlimited) +(\d+|unlimited)/m.exec(text) ?? [];
	if (soft === undefined || hard === undefined) return undefined;
	const number = (value: string) => (value === "unlimited" ? Number.POSITIVE_INFINITY : Number(value));
	return { soft: number(soft), hard: number(hard) };
}

/**
 * The soft limit that commands get: that of the process which started this one, before Node raised it. Programs that try
 * every possible descriptor, or use select(2), need the lower one. Undefined when Node has not raised it.
 */
export function softLimitOfStarter(starter: FileLimit | undefined, own: FileLimit | undefined): number | undefined {
	if (starter === undefined || own === undefined) return undefined;
	return starter.soft < own.soft ? starter.soft : undefined;
}
