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
