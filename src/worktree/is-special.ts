import { statSync } from "node:fs";

/** Whether something stands there that git cannot read as a file, or waits for: a directory, a FIFO, a device. Links are followed. */
export function isSpecial(path: string): boolean {
	try {
		return statSync(path, { throwIfNoEntry: false })?.isFile() === false;
	} catch {
		return false; // git cannot read it either, and goes on
	}
}
