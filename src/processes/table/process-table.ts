/**
 * The system's processes, read afresh each time. Pids are reused, so a process is named by its pid *and* its start time.
 * A zombie is not alive: it only waits for its parent's wait(2).
 */

import { closeSync, fstatSync, openSync, readdirSync, readFileSync, readSync } from "node:fs";
import { setImmediate as turn } from "node:timers/promises";
import { defined } from "../../core/defined.ts";
import { AgentreeError } from "../../core/errors.ts";
import { ifThere } from "../../core/if-there.ts";

export interface ProcessRef {
	readonly pid: number;
	/** `8861`: ticks since the system's start; `ps:1795822342`: seconds since the epoch. */
	readonly startTime: string;
}

export interface ProcessInfo extends ProcessRef {
	readonly parent: number;
	readonly group: number;
	readonly session: number;
	/** `R` runs, `S` sleeps, `D` waits for a device, `T` stopped, `Z` and `X` over. */
	readonly state: string;
	/** The program's name, cut to 15 bytes by the kernel. */
	readonly name: string;
	/** Undefined where the system does not tell. A set-uid program counts as the user that it has become. */
	readonly uid?: number;
	/** How long it has computed, in milliseconds; with /proc also its children that have ended. */
	readonly cpuMs?: number;
}

/** The processes now, or at the moment of a look. */
export interface Look {
	/** All processes, zombies included. One that ends while the list is read may be missing. */
	list(): ProcessInfo[];
	read(pid: number): ProcessInfo | undefined;
	/** The environment at the program's start; undefined when the process is over or another user's. */
	environment(pid: number): Record<string, string> | undefined;
}

export interface ProcessTable extends Look {
	/**
	 * The pid that the system gave last. If that is a child of the caller, the child has started nothing. Undefined: not
	 * told.
	 */
	newestPid(): number | undefined;
	/** One reading for many questions. Before a signal take a new one. */
	look(): Look;
	/** A look that begins after the call. Calls in the same moment share one. Does not block the event loop. */
	freshLook(): Promise<Look>;
	/** True when a look starts processes and takes some 50 ms: then not all agents of a tree should look at the same time. */
	readonly isCostly: boolean;
}

/** A table in which reading one process costs next to nothing: a look reads the list once, and single processes afresh. */
export function cheapTable(now: Look, newestPid: () => number | undefined = () => undefined): ProcessTable {
	const look = (): Look => {
		let infos: ProcessInfo[] | undefined;
		const list = () => {
			infos ??= now.list();
			return infos;
		};
		return { list, read: now.read, environment: now.environment };
	};
	return { ...now, newestPid, look, freshLook: async () => look(), isCostly: false };
}

const TICK_MS = 10; // /proc counts in USER_HZ, which is 100 on every architecture that Node runs on

const proc: Look = {
	list: () => {
		const found: ProcessInfo[] = [];
		for (const entry of readdirSync("/proc")) {
			const pid = Number(entry);
			const info = Number.isInteger(pid) ? readProcess(pid) : undefined;
			if (info !== undefined) found.push(info);
		}
		return found;
	},
	read: readProcess,
	environment: (pid) => {
		return ifThere(() => parseEnvironment(readFileSync(`/proc/${pid}/environ`, "utf8"))); // ESRCH, ENOENT: over; EACCES: another user's
	},
};

/** The table that reads /proc. */
export const procTable: ProcessTable = cheapTable(proc, () => {
	return ifThere(() => parseNewestPid(readFileSync("/proc/loadavg", "latin1")));
});

/** True while the process has not ended. A later one with its pid does not count. */
export function isAlive(table: Pick<ProcessTable, "read">, process: ProcessRef): boolean {
	return readAlive(table, process) !== undefined;
}

/** The process as it is now; undefined when it has ended, or a later process has its pid. */
export function readAlive(table: Pick<ProcessTable, "read">, process: ProcessRef): ProcessInfo | undefined {
	const info = table.read(process.pid);
	return info !== undefined && isSameStart(info.startTime, process.startTime) && !hasEnded(info) ? info : undefined;
}

export function hasEnded(info: ProcessInfo): boolean {
	return info.state === "Z" || info.state === "X" || info.state === "x";
}

/**
 * One line of /proc/PID/stat. proc(5): `pid (name) state ppid pgrp session … utime(14) stime cutime cstime … starttime(22)`.
 * The name may hold spaces, parentheses and newlines.
 */
export function parseStat(text: string, uid?: number): ProcessInfo | undefined {
	const open = text.indexOf("(");
	const close = text.lastIndexOf(")");
	if (open < 0 || close < open) return undefined;
	const [state, parent, group, session, ...rest] = text.slice(close + 2).split(" ");
	const startTime = rest[15];
	if (state === undefined || startTime === undefined) return undefined;
	return {
		pid: Number(text.slice(0, open)),
		startTime,
		parent: Number(parent),
		group: Number(group),
		session: Number(session),
		state,
		name: text.slice(open + 1, close),
		cpuMs: rest.slice(7, 11).reduce((sum, ticks) => sum + Number(ticks) * TICK_MS, 0),
		...defined({ uid }),
	};
}

/** The text of /proc/PID/environ: `NAME=value`, each ended by NUL. Of a name that is there twice the first counts. */
export function parseEnvironment(text: string): Record<string, string> {
	const environment: Record<string, string> = {};
	for (const entry of text.split("\0")) {
		const equals = entry.indexOf("=");
		if (equals > 0) environment[entry.slice(0, equals)] ??= entry.slice(equals + 1);
	}
	return environment;
}

/** The pid given last. proc(5), loadavg: `0.20 0.18 0.12 1/80 11206`. */
export function parseNewestPid(text: string): number | undefined {
	const pid = Number(text.trim().split(" ")[4]);
	return Number.isInteger(pid) && pid > 0 ? pid : undefined;
}

const buffer = Buffer.allocUnsafe(4096); // stat is one line of some 300 bytes

/** The file's owner is the process's user. One descriptor for both: else they could be of two processes with the same pid. */
function readProcess(pid: number): ProcessInfo | undefined {
	let file: number | undefined;
	try {
		file = openSync(`/proc/${pid}/stat`, "r");
		const { uid } = fstatSync(file);
		return parseStat(buffer.toString("utf8", 0, readSync(file, buffer)), uid);
	} catch {
		return undefined; // ENOENT, ESRCH: the process is over
	} finally {
		if (file !== undefined) closeSync(file);
	}
}

/**
 * When a process started, as its reader tells it: `8861` is clock ticks since the system's start (/proc), `ps:1795822342`
 * is seconds since the epoch (ps). Times of two readers cannot be compared: they count as two processes, so that in doubt
 * none is signaled.
 */

/** The clock that a start time is read from. */
export type Clock = "ticks" | "seconds";

const PREFIX = "ps:";
// Linux's ps adds ticks to the time of boot, which moves when the clock is set: so one process can show two seconds.
const SLACK_SECONDS = 1;

export function secondsAsStartTime(seconds: number): string {
	return `${PREFIX}${seconds}`;
}

export function clockOf(startTime: string): Clock {
	return startTime.startsWith(PREFIX) ? "seconds" : "ticks";
}

/** Times of ps that differ by a second count as the same. */
export function isSameStart(a: string, b: string): boolean {
	if (a === b) return true;
	return clockOf(a) === "seconds" && clockOf(b) === "seconds" && Math.abs(numberOf(a) - numberOf(b)) <= SLACK_SECONDS;
}

/** True when one reader has told both, and they differ. */
export function isOtherStart(a: string, b: string): boolean {
	return clockOf(a) === clockOf(b) && !isSameStart(a, b);
}

/** False when it cannot be told. */
export function hasStartedBefore(a: string, b: string): boolean {
	if (clockOf(a) !== clockOf(b)) return false;
	return numberOf(a) < numberOf(b) - (clockOf(a) === "seconds" ? SLACK_SECONDS : 0);
}

function numberOf(startTime: string): number {
	return Number(clockOf(startTime) === "seconds" ? startTime.slice(PREFIX.length) : startTime);
}

const MAX_ANCESTORS = 4096; // while pids are being reused, parents can form a circle

/** A process and its ancestors, itself first, without PID 1. */
export function* withAncestorsOf(self: ProcessInfo | undefined, look: Pick<Look, "read">): Iterable<ProcessInfo> {
	let at = self;
	for (let step = 0; at !== undefined && at.pid > 1 && step < MAX_ANCESTORS; step++) {
		yield at;
		at = look.read(at.parent);
	}
}

/**
 * A look at the process table fails when the system has no more processes, files or memory. That is an expected outcome,
 * and the one that a fork bomb brings about: whoever must act then acts without a look.
 */

/** True for an error of the system; false for a bug, which must not be hidden. */
export function isFailedLook(error: unknown): error is Error {
	return error instanceof AgentreeError || (error instanceof Error && "errno" in error);
}

/** The result of `look`, which may itself be undefined; undefined when the look failed. */
export function ifSeen<T>(look: () => T): { readonly seen: T } | undefined {
	try {
		return { seen: look() };
	} catch (error) {
		if (isFailedLook(error)) return undefined;
		throw error;
	}
}

const SLICE = 100; // reading one takes some 10 µs

/** All processes, for who must not hold up his event loop meanwhile: to read thousands takes longer than a key may wait. */
export async function listInSlices(table: ProcessTable): Promise<ProcessInfo[]> {
	if (table.isCostly) return (await table.freshLook()).list();
	const pids = listPids();
	const infos: ProcessInfo[] = [];
	for (let at = 0; at < pids.length; at += SLICE) {
		infos.push(...pids.slice(at, at + SLICE).flatMap((pid) => table.read(pid) ?? []));
		await turn();
	}
	return infos;
}

function listPids(): number[] {
	return ifThere(() => readdirSync("/proc").map(Number).filter(Number.isInteger)) ?? []; // there is no /proc
}

/**
 * Makes a function whose callers share looks. Each caller gets a look that begins after its call, so that a process which
 * it knows to be over is over in that look. One look is made at a time; calls during it share the next one. `rest` is
 * waited for after each look.
 */
export function shareLooks<T>(look: () => Promise<T>, rest: () => Promise<unknown> = async () => {}): () => Promise<T> {
	let underWay: Promise<unknown> = Promise.resolve();
	let next: Promise<T> | undefined;
	const begin = async () => {
		await underWay;
		await new Promise((resolve) => void setImmediate(resolve)); // lets all calls of one batch of messages share the look
		next = undefined;
		const looking = look();
		underWay = looking.then(rest, () => {});
		return looking;
	};
	return () => {
		next ??= begin();
		return next;
	};
}
