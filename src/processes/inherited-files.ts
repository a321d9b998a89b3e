/** Files that whoever started this process had open: a lock, a log, a secret. What this process starts must not have them. */
import { closeSync, readdirSync, readFileSync } from "node:fs";

/** Node keeps the files up to the first gap from here on from the programs that it starts, and hands on those behind it. */
const FIRST_HANDED_ON = 16;
const O_CLOEXEC = 0o2000000; // on Linux; Node opens its own files with it

/** Closes what the next program would inherit beside stdin, stdout and stderr. Where there is no /proc, nothing. */
export function closeInheritedFiles(): void {
	for (const name of namesIn("/proc/self/fd")) {
		const fd = Number(name);
		if (fd >= FIRST_HANDED_ON && isHandedOn(fd)) closeSync(fd);
	}
}

/** proc_pid_fdinfo(5): `flags:	02100000` */
function isHandedOn(fd: number): boolean {
	try {
		const [, flags = ""] = /^flags:\s+([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, "latin1")) ?? [];
		return flags !== "" && (Number.parseInt(flags, 8) & O_CLOEXEC) === 0;
	} catch {
		return false; // it was that of the listing, and is closed
	}
}

function namesIn(directory: string): string[] {
	try {
		return readdirSync(directory);
	} catch {
		return [];
	}
}
