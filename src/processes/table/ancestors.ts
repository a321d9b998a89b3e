import type { Look, ProcessInfo } from "./process-table.ts";

const MAX_ANCESTORS = 4096; // while pids are being reused, parents can form a circle

/** A process and its ancestors, itself first, without PID 1. */
export function* withAncestorsOf(self: ProcessInfo | undefined, look: Pick<Look, "read">): Iterable<ProcessInfo> {
	let at = self;
	for (let step = 0; at !== undefined && at.pid > 1 && step < MAX_ANCESTORS; step++) {
		yield at;
		at = look.read(at.parent);
	}
}
