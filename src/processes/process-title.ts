/** The title that a process has given itself (`process.title`), or else the first of its arguments. */
import { readFileSync } from "node:fs";

/** Cut by the system to the room that its arguments had. Undefined where there is no /proc, and for a process that is over. */
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
	try {
		return readFileSync(`/proc/${pid}/comm`, "latin1").trimEnd();
	} catch {
		return undefined;
	}
}
