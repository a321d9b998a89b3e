/** For a process that ends because its terminal is gone. */
import { closeSync } from "node:fs";

const STANDARD = [0, 1, 2];

/**
 * Closes the standard streams, for whose reader there is nobody any more. At its exit Node sets the modes of those that are
 * terminals back, and aborts when a terminal does not take them, since it is gone.
 */
export function letGoOfTerminal(): void {
	for (const fd of STANDARD) {
		try {
			closeSync(fd);
		} catch {} // closed already
	}
}
