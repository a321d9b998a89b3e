import { readdirSync, readlinkSync } from "node:fs";
import { defined } from "../core/defined.ts";
import { hasProc } from "./open-table.ts";
import { type ProcessRef, procTable } from "./process-table.ts";

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

export interface OwnIdentity extends Pick<ProcessRef, "pid">, Partial<Pick<ProcessRef, "startTime">> {
	readonly pidNamespace: string | null;
}

/** What this process says of itself to one that may see other pids. Costs no process, so without /proc no start time. */
export function ownIdentity(pid: number): OwnIdentity {
	const startTime = hasProc() ? procTable.read(pid)?.startTime : undefined;
	return { pid, pidNamespace: ownPidNamespace(), ...defined({ startTime }) };
}

const FIRST_NAMESPACE = "pid:[4026531836]"; // PROC_PID_INIT_INO of the kernel: from there all others are seen

/** No process is in it any more. False in doubt: who is not in the system's first namespace does not see all. */
export function isNamespaceOver(namespace: string | null): boolean {
	if (namespace === null || ownPidNamespace() !== FIRST_NAMESPACE) return false;
	const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
	return !pids.some((pid) => namespaceOf(pid) === namespace);
}

function namespaceOf(pid: string): string | undefined {
	try {
		return readlinkSync(`/proc/${pid}/ns/pid`);
	} catch {
		return undefined; // it is over, or another user's
	}
}
