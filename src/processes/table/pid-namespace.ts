import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { defined } from "../../core/defined.ts";
import { AgentreeError } from "../../core/errors.ts";
import { ifThere } from "../../core/if-there.ts";
import { hasProc } from "./open-table.ts";
import { type ProcessRef, procTable } from "./process-table.ts";

/**
 * False for a process in a container, even when its files and processes are visible here: pids recorded there are
 * other numbers.
 */
export function isInOurNamespace(pid: number): boolean {
	return !hasProc() || procNamespaces.namespaceOf(pid) === ownPidNamespace();
}

/** `pid:[4026531836]`; null where the system has no pid namespaces, or does not tell. */
export function ownPidNamespace(): string | null {
	return ifThere(() => (hasProc() ? readlinkSync("/proc/self/ns/pid") : null)) ?? null;
}

interface OwnIdentity extends Pick<ProcessRef, "pid">, Partial<Pick<ProcessRef, "startTime">> {
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
	"not started: /proc belongs to another pid namespace; mount the right one: unshare --pid --fork --mount-proc, bwrap --proc /proc";
const FIRST_NAMESPACE = "pid:[4026531836]"; // the kernel's PROC_PID_INIT_INO; from it all others are visible

/** True when no process is in that namespace any more. False in doubt: outside of the first namespace not all are visible. */
export function isNamespaceOver(namespace: string | null): boolean {
	if (namespace === null || ownPidNamespace() !== FIRST_NAMESPACE) return false;
	const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
	return !pids.some((pid) => procNamespaces.namespaceOf(Number(pid)) === namespace);
}

/**
 * The pid that a process of another pid namespace has here. proc_pid_ns(5): two processes are in one namespace when their
 * links `/proc/PID/ns/pid` are equal. proc_pid_status(5): `NSpid` has the pids of a process in each namespace, from that of
 * the reader's /proc down to its own.
 */

/** What the kernel tells of processes in pid namespaces below ours. */
export interface NamespaceFacts {
	/** `pid:[4026531836]`; undefined when the process is over, or may not be looked into. */
	namespaceOf(pid: number): string | undefined;
	/** Its pid in its own namespace. */
	innermostPid(pid: number): number | undefined;
	/** All pids here, the newest first as far as numbers tell; absent: those of the process table. */
	pids?(): number[];
	/** The pid that was given last; undefined or absent: not told. */
	newestPid?(): number | undefined;
	/** What has been seen of all processes that are there, or were: the pid here of that one, if any. Undefined or absent: not told. */
	remembered?(named: NamedProcess): { readonly pid: number | undefined } | undefined;
}

export interface NamedProcess {
	/** As the process itself sees it. */
	readonly pid: number;
	/** Null where the system has no pid namespaces, or does not tell. */
	readonly pidNamespace: string | null;
}

interface Finding {
	/** The reader's own namespace. */
	readonly own: string | null;
	/** All pids here, asked for only for a process of another namespace. */
	readonly pids: () => number[];
	readonly facts?: NamespaceFacts;
	/** It may have ended: then not all processes are looked at in vain. */
	readonly mayBeOver?: true;
}

/** Undefined: no such process is seen. */
export function hostPid(
	{ pid, pidNamespace }: NamedProcess,
	{ own, pids, facts = procNamespaces, mayBeOver }: Finding,
): number | undefined {
	if (pidNamespace === own) return pid;
	if (pidNamespace === null || own === null) return undefined;
	const isIt = (here: number) => facts.namespaceOf(here) === pidNamespace && facts.innermostPid(here) === pid;
	const seen = facts.remembered?.({ pid, pidNamespace });
	if (seen?.pid !== undefined && isIt(seen.pid)) return seen.pid;
	return seen !== undefined && mayBeOver ? undefined : (facts.pids?.() ?? pids()).find(isIt);
}

const MOST_AT_ONCE = 4096; // of new pids, most of which are threads or over: beyond that a look at all processes costs less
const MOST_KEPT = 20_000;

/**
 * Facts for who finds many processes, one after the other: each is looked into when it is new, and not again for each that comes after
 * it. `own`: the namespace whose processes need not be remembered.
 */
export function withMemory(facts: NamespaceFacts, own: string | null): NamespaceFacts {
	const pidOf = new Map<string, number>();
	let newest: number | undefined;
	const lookInto = (pid: number) => {
		const namespace = facts.namespaceOf(pid);
		if (namespace === undefined || namespace === own) return;
		const inner = facts.innermostPid(pid);
		if (inner !== undefined) pidOf.set(`${namespace} ${inner}`, pid);
	};
	/** The numbers that were given since the last time; when they have begun again, or are too many, those of all that are there. */
	const lookIntoNew = (now: number) => {
		if (pidOf.size > MOST_KEPT) pidOf.clear();
		const isAll = newest === undefined || now < newest || now - newest > MOST_AT_ONCE || pidOf.size === 0;
		if (isAll) for (const pid of facts.pids?.() ?? []) lookInto(pid);
		else for (let pid = (newest ?? now) + 1; pid <= now; pid++) lookInto(pid);
		newest = now;
	};
	return {
		...facts,
		remembered: ({ pid, pidNamespace }) => {
			const now = facts.newestPid?.();
			if (now === undefined) return undefined;
			lookIntoNew(now);
			return { pid: pidOf.get(`${pidNamespace} ${pid}`) };
		},
	};
}

/** Who joins, and whose command starts, is young: it is found after a few, and a look at all processes would read them all. */
export const procNamespaces: NamespaceFacts = {
	pids: () =>
		readdirSync("/proc")
			.map(Number)
			.filter(Number.isSafeInteger)
			.sort((one, other) => other - one),
	newestPid: () => procTable.newestPid(),
	namespaceOf: (pid) => {
		return ifThere(() => readlinkSync(`/proc/${pid}/ns/pid`)); // ENOENT: over, also a zombie; EACCES: another user's
	},
	innermostPid: (pid) => {
		return ifThere(() => parseInnermostPid(readFileSync(`/proc/${pid}/status`, "latin1")));
	},
};

/** `NSpid:\t7417\t12\t1` → 1. The program's name, which may hold a newline, has it escaped there. */
export function parseInnermostPid(status: string): number | undefined {
	const pids = /^NSpid:\s*([\d\s]+)$/m.exec(status)?.[1]?.trim().split(/\s+/);
	return pids === undefined ? undefined : Number(pids.at(-1));
}
