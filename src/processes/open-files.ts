/** What files processes have open, by the kernel's word (proc(5)). */
import { readdirSync, readlinkSync } from "node:fs";
import { processName } from "./process-title.ts";

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
	try {
		return [readlinkSync(fd)];
	} catch {
		return []; // it is closed
	}
}
