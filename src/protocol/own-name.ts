/** The name of this process, as the kernel shows it to all: each connection that is being let in takes another one for a moment. */
import { readFileSync, writeFileSync } from "node:fs";

const OWN_NAME = "/proc/self/comm";

/** Connections that have taken a name and not given it back. */
let holders = 0;
let before = "";

/**
 * Names this process. The result, of which only the first call counts, gives the name back; the process's own is there again when all
 * are. Does nothing where the system has no such name.
 */
export function takeName(name: string): () => void {
	try {
		if (holders === 0) before = readFileSync(OWN_NAME, "latin1").trimEnd();
		writeFileSync(OWN_NAME, name);
	} catch {
		return () => {};
	}
	holders++;
	let isHeld = true;
	return () => {
		if (!isHeld) return;
		isHeld = false;
		holders--;
		if (holders === 0) writeFileSync(OWN_NAME, before, "latin1");
	};
}
