/** What files processes have open, by the kernel's word (proc(5)). Of those that may not be looked at, as another user's, nothing is known. */
import { readdirSync, readlinkSync } from "node:fs";
import { processName } from "./process-title.ts";

/** The paths of the files called `name` that processes with that name have open; of that 15 bytes count. */
export function openFilesNamed(name: string, program: string): string[] {
	const pids = readdirSync("/proc").filter((each) => /^\d+$/.test(each));
	const named = pids.filter((pid) => processName(Number(pid)) === program.slice(0, 15));
	return [...new Set(named.flatMap(openFilesOf).filter((path) => path.endsWith(`/${name}`)))];
}

function openFilesOf(pid: string): string[] {
	try {
		return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => openFile(`/proc/${pid}/fd/${fd}`));
	} catch {
		return []; // it is over
	}
}

function openFile(fd: string): string[] {
	try {
		return [readlinkSync(fd)];
	} catch {
		return []; // it is closed
	}
}
