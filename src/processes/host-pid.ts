/**
 * The pid that a process of another pid namespace has here. proc_pid_ns(5): two processes are in one namespace when their
 * links `/proc/PID/ns/pid` are equal. proc_pid_status(5): `NSpid` has the pids of a process in each namespace, from that of
 * the reader's /proc down to its own.
 */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** What the kernel tells of processes in pid namespaces below ours. */
export interface NamespaceFacts {
	/** `pid:[4026531836]`; undefined when the process is over, or may not be looked into. */
	namespaceOf(pid: number): string | undefined;
	/** Its pid in its own namespace. */
	innermostPid(pid: number): number | undefined;
	/** All pids here, the newest first as far as numbers tell; absent: those of the process table. */
	pids?(): number[];
}

export interface NamedProcess {
	/** As the process itself sees it. */
	readonly pid: number;
	/** Null where the system has no pid namespaces, or does not tell. */
	readonly pidNamespace: string | null;
}

/** `pids`: all pids here, asked for only for a process of another namespace than `own`. Undefined: no such process is seen. */
export function hostPid(
	{ pid, pidNamespace }: NamedProcess,
	{ own, pids, facts = procNamespaces }: { own: string | null; pids: () => number[]; facts?: NamespaceFacts },
): number | undefined {
	if (pidNamespace === own) return pid;
	if (pidNamespace === null || own === null) return undefined;
	return (facts.pids?.() ?? pids()).find(
		(here) => facts.namespaceOf(here) === pidNamespace && facts.innermostPid(here) === pid,
	);
}

/** Who joins, and whose command starts, is young: it is found after a few, and a look at all processes would read them all. */
export const procNamespaces: NamespaceFacts = {
	pids: () =>
		readdirSync("/proc")
			.map(Number)
			.filter(Number.isSafeInteger)
			.sort((one, other) => other - one),
	namespaceOf: (pid) => {
		try {
			return readlinkSync(`/proc/${pid}/ns/pid`);
		} catch {
			return undefined; // ENOENT: over, also a zombie; EACCES: another user's
		}
	},
	innermostPid: (pid) => {
		try {
			return parseInnermostPid(readFileSync(`/proc/${pid}/status`, "latin1"));
		} catch {
			return undefined;
		}
	},
};

/** `NSpid:\t7417\t12\t1` → 1. The program's name, which may hold a newline, has it escaped there. */
export function parseInnermostPid(status: string): number | undefined {
	const pids = /^NSpid:\s*([\d\s]+)$/m.exec(status)?.[1]?.trim().split(/\s+/);
	return pids === undefined ? undefined : Number(pids.at(-1));
}
