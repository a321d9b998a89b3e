import { readdirSync, readlinkSync } from "node:fs";
import { defined } from "../../core/defined.ts";
import { AgentreeError } from "../../core/errors.ts";
import { procNamespaces } from "./host-pid.ts";
import { hasProc } from "./open-table.ts";
import { type ProcessRef, procTable } from "./process-table.ts";

/**
 * False for a process in a container, also when its files and processes are visible here: pids recorded there are
 * other numbers.
 */
export function isInOurNamespace(pid: number): boolean {
	return !hasProc() || procNamespaces.namespaceOf(pid) === ownPidNamespace();
}

/** `pid:[4026531836]`; null where the system has no pid namespaces, or does not tell. */
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

/**
 * How a process names itself to one that may see other pids. Starts no ps, so without /proc there is no start time. Throws
 * AgentreeError("not_started") where /proc is that of another pid namespace: each pid that is read there is a stranger's here.
 */
export function ownIdentity(pid: number): OwnIdentity {
	if (hasProc() && readlinkSync("/proc/self") !== String(pid)) throw new AgentreeError("not_started", FOREIGN_PROC);
	const startTime = hasProc() ? procTable.read(pid)?.startTime : undefined;
	return { pid, pidNamespace: ownPidNamespace(), ...defined({ startTime }) };
}

const FOREIGN_PROC =
	"not started: /proc shows another pid namespace than that of this process; mount its own: unshare --pid --fork --mount-proc, bwrap --proc /proc";
const FIRST_NAMESPACE = "pid:[4026531836]"; // the kernel's PROC_PID_INIT_INO; from it all others are visible

/** True when no process is in that namespace any more. False in doubt: outside of the first namespace not all are visible. */
export function isNamespaceOver(namespace: string | null): boolean {
	if (namespace === null || ownPidNamespace() !== FIRST_NAMESPACE) return false;
	const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
	return !pids.some((pid) => procNamespaces.namespaceOf(Number(pid)) === namespace);
}
