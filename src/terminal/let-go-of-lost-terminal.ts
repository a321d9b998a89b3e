/** For a process that ends when its terminal is gone. */
import { closeSync, fstatSync } from "node:fs";
import { isatty } from "node:tty";

const STANDARD = [0, 1, 2];

/**
 * Closes the standard streams whose terminal is gone, at the end of the process: Node then sets the modes of those that were terminals
 * back, and aborts when a terminal does not take them.
 */
export function letGoOfLostTerminal(): void {
	process.on("exit", () => {
		for (const fd of STANDARD) if (isLost(fd)) closeSync(fd);
	});
}

/** A terminal that is gone tells of no modes; neither does /dev/null, which nobody needs any more. */
function isLost(fd: number): boolean {
	try {
		return fstatSync(fd).isCharacterDevice() && !isatty(fd);
	} catch {
		return false; // closed already
	}
}
