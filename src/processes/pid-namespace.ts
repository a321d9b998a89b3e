import { readlinkSync } from "node:fs";
import { hasProc } from "./open-table.ts";

/** False for what runs in a container whose files and processes we see: what was recorded there are other pids. */
export function isInOurNamespace(pid: number): boolean {
	if (!hasProc()) return true;
	try {
		return readlinkSync(`/proc/${pid}/ns/pid`) === readlinkSync("/proc/self/ns/pid");
	} catch {
		return false; // it is over, or somebody else's
	}
}

/** `pid:[4026531836]`; null where the system has none, or does not say. */
export function ownPidNamespace(): string | null {
	try {
		return hasProc() ? readlinkSync("/proc/self/ns/pid") : null;
	} catch {
		return null;
	}
}
