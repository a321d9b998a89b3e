/**
 * Ends a set of processes that may fork while it is being ended: ask (TERM), wait, then freeze (STOP) what is left
 * until a look finds nothing new, and only then KILL: a frozen process starts no other behind our back.
 * Before each signal pid and start time are checked again, since the pid may belong to somebody else by now.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { type ProcessInfo, type ProcessRef, type ProcessTable, readAlive } from "./process-table.ts";

export interface EndRequest {
	/** Looks at the given table, else afresh; asked many times. What it has once named stays in the set while it lives. */
	readonly find: (now?: ProcessTable) => ProcessInfo[];
	readonly table: Pick<ProcessTable, "read" | "snapshot">;
	/** Between TERM and KILL. 0: kill at once, without TERM. */
	readonly graceMs: number;
	readonly kill?: (pid: number, signal: "SIGTERM" | "SIGSTOP" | "SIGKILL") => void;
	readonly wait?: (ms: number) => Promise<void>;
}

/** Between asking and killing, wherever somebody is asked at all. */
export const GRACE_MS = 3_000;

const MAX_FREEZE_ROUNDS = 100; // a fork loop loses the race long before; 100 × 2 ms
const FREEZE_WAIT_MS = 2;
const MAX_DYING_MS = 2_000; // a process in a device wait (state D) dies when the device answers
const LONGEST_POLL_MS = 100;

/** Resolves when none lives, or with those that even KILL did not end. Never rejects while `find` does not throw. */
export async function endProcesses(request: EndRequest): Promise<ProcessRef[]> {
	const prey = createPrey(request);
	if (request.graceMs > 0) {
		const isOver = await poll(request, request.graceMs, () => prey.signalNew("SIGTERM").length === 0);
		if (isOver) return [];
	}
	await freeze(request, prey);
	await poll(request, MAX_DYING_MS, () => prey.signalNew("SIGKILL").length === 0);
	const survivors = prey.living().filter((info) => readAlive(request.table, info) !== undefined);
	return survivors.map(({ pid, startTime }) => ({ pid, startTime }));
}

interface Prey {
	living(): ProcessInfo[];
	/** Sends the signal to each that lives and has not had it from us; gives all that live. */
	signalNew(signal: "SIGTERM" | "SIGSTOP" | "SIGKILL"): ProcessInfo[];
}

function createPrey(request: EndRequest): Prey {
	const { kill = (pid, signal) => process.kill(pid, signal), table } = request;
	const known = new Map<string, ProcessRef>();
	const sent = new Set<string>();
	const living = () => {
		const found = new Map(request.find().map((info) => [nameOf(info), info]));
		for (const [name, info] of found) known.set(name, info);
		const now = table.snapshot?.() ?? table;
		return [...known].flatMap(([name, ref]) => {
			const info = found.get(name) ?? readAlive(now, ref);
			if (info === undefined) known.delete(name);
			return info ?? [];
		});
	};
	const signalNew: Prey["signalNew"] = (signal) => {
		const all = living();
		const now = table.snapshot?.() ?? table; // one look for all: where a look is slow, a fork loop would win
		for (const info of all) {
			const key = `${signal} ${nameOf(info)}`;
			if (sent.has(key) || info.pid <= 1 || info.pid === process.pid) continue;
			sent.add(key);
			if (readAlive(now, info) !== undefined) attempt(() => kill(info.pid, signal));
		}
		return all;
	};
	return { living, signalNew };
}

/** A process that was sent STOP may still run for a moment on the other processor, and fork: until all stand, look again. */
async function freeze({ wait = sleep }: EndRequest, prey: Prey): Promise<void> {
	let seen = -1;
	for (let round = 0; round < MAX_FREEZE_ROUNDS; round++) {
		const all = prey.signalNew("SIGSTOP");
		const isFrozen = all.every((info) => info.state === "T" || info.state === "t" || info.state === "D");
		if (all.length === 0 || (isFrozen && all.length === seen)) return;
		seen = all.length;
		if (!isFrozen) await wait(FREEZE_WAIT_MS);
	}
}

/** Asks at once, then in growing steps, the last time at the end. */
async function poll({ wait = sleep }: EndRequest, forMs: number, isDone: () => boolean): Promise<boolean> {
	let stepMs = 5;
	for (let waitedMs = 0; !isDone(); stepMs = Math.min(stepMs * 2, LONGEST_POLL_MS)) {
		const ms = Math.min(stepMs, forMs - waitedMs);
		if (ms <= 0) return false;
		await wait(ms);
		waitedMs += ms;
	}
	return true;
}

function nameOf(ref: ProcessRef): string {
	return `${ref.pid} ${ref.startTime}`;
}

/** ESRCH: it has just ended. EPERM: it is somebody else's by now; it will be among the survivors. */
function attempt(signal: () => void): void {
	try {
		signal();
	} catch {}
}
