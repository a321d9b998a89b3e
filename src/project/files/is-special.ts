import { statsOf } from "../../record/files/stats-of.ts";

/** Whether something stands there that git cannot read as a file, or waits for: a directory, a FIFO, a device. Links are followed. */
export function isSpecial(path: string): boolean {
	return statsOf(path)?.isFile() === false; // what nobody can look at git cannot read either, and goes on
}
