/**
 * Ends a set of processes that may fork while it is being ended: ask (TERM), wait, then freeze (STOP) what is left
 * until a look finds nothing new, and only then KILL: a frozen process starts no other behind our back.
 * Before each signal pid and start time are checked again, since the pid may belong to somebody else by now.
 * Where nobody can look (a fork bomb leaves no process for ps), what is known without a look is killed, then it looks again.
 */

import { setTimeout as sleep } from "node:timers/promises";
import { nameOf } from "./belonging.ts";
import { isFailedLook } from "./failed-look.ts";
import { type Look, type ProcessInfo, type ProcessRef, type ProcessTable, readAlive } from "./process-table.ts";
import { SYSTEM_CLOCK } from "./system-clock.ts";

export type SendSignal = (pid: number, signal: "SIGTERM" | "SIGSTOP" | "SIGKILL") => void;

export interface EndRequest {
	/** Asked many times. What it has once named stays in the set while it lives. */
	readonly find: (look: Look) => ProcessInfo[];
	readonly table: Pick<ProcessTable, "read" | "look" | "freshLook">;
	/** Between TERM and KILL; absent: the usual grace. 0: kill at once, without TERM. */
	readonly graceMs?: number | undefined;
	/** Kills what can be killed without a look: whole groups. Absent: a look that fails is thrown. */
	readonly killUnseen?: () => void;
	readonly kill?: SendSignal | undefined;
	readonly wait?: (ms: number) => Promise<void>;
	/** Milliseconds that never go back. */
	readonly now?: () => number;
}

/** Between asking and killing, wherever somebody is asked at all. */
export const GRACE_MS = 3_000;

/** Of a request: KILL without TERM. */
export const AT_ONCE = { graceMs: 0 };

const MAX_FREEZE_ROUNDS = 100; // a fork loop loses the race long before; 100 × 2 ms
const FREEZE_WAIT_MS = 2;
const MAX_BLIND_ROUNDS = 40;
const BLIND_WAIT_MS = 50; // what was killed unseen must end before there are processes again
const MAX_DYING_MS = 2_000; // a process in a device wait (state D) dies when the device answers
const LONGEST_POLL_MS = 100;

/** Resolves when none lives, or with those that even KILL did not end; when it can look no more, with those it last saw. */
export async function endProcesses(request: EndRequest): Promise<ProcessRef[]> {
	const targets = createTargets(request);
	const isOverAfter = async (signal: "SIGTERM" | "SIGKILL") => (await targets.signalNew(signal))?.length === 0;
	const { graceMs = GRACE_MS } = request;
	const grace = { forMs: graceMs, isByClock: true };
	if (graceMs > 0 && (await poll(request, grace, () => isOverAfter("SIGTERM")))) return [];
	await freeze(request, targets);
	await poll(request, { forMs: MAX_DYING_MS, isByClock: false }, () => isOverAfter("SIGKILL"));
	const survivors = await targets.survivors();
	return survivors.map(({ pid, startTime }) => ({ pid, startTime }));
}

interface Targets {
	/** Sends the signal to each that lives and has not had it from us; gives all that live. Undefined: it could not look. */
	signalNew(signal: "SIGTERM" | "SIGSTOP" | "SIGKILL"): Promise<ProcessInfo[] | undefined>;
	survivors(): Promise<ProcessRef[]>;
}

function createTargets(request: EndRequest): Targets {
	const { kill = (pid, signal) => process.kill(pid, signal), table } = request;
	const known = new Map<string, ProcessRef>();
	const sent = new Set<string>();
	const living = async () => {
		const look = await table.freshLook().catch(() => table.look()); // which says why it cannot
		const found = new Map(request.find(look).map((info) => [nameOf(info), info]));
		for (const [name, info] of found) known.set(name, info);
		return [...known].flatMap(([name, ref]) => {
			const info = found.get(name) ?? readAlive(look, ref);
			if (info === undefined) known.delete(name);
			return info ?? [];
		});
	};
	const signalNew = async (signal: "SIGTERM" | "SIGSTOP" | "SIGKILL") => {
		const all = await living();
		const now = table.look(); // one look for all: where a look is slow, a fork loop would win
		for (const info of all) {
			const key = `${signal} ${nameOf(info)}`;
			if (sent.has(key) || info.pid <= 1 || info.pid === process.pid) continue;
			if (readAlive(now, info) !== undefined) attempt(() => kill(info.pid, signal));
			sent.add(key);
		}
		return all;
	};
	const orBlind = <T>(looking: Promise<T>) =>
		looking.catch((error: unknown) => {
			if (request.killUnseen === undefined || !isFailedLook(error)) throw error;
			return undefined;
		});
	return {
		signalNew: async (signal) => {
			const all = await orBlind(signalNew(signal));
			if (all === undefined && signal !== "SIGTERM") request.killUnseen?.();
			return all;
		},
		survivors: async () => {
			const seen = living().then((all) => all.filter((info) => readAlive(table, info) !== undefined));
			return (await orBlind(seen)) ?? [...known.values()];
		},
	};
}

/** A process that was sent STOP may still run for a moment on the other processor, and fork: until all stand, look again. */
async function freeze({ wait = sleep }: EndRequest, targets: Targets): Promise<void> {
	let seen = -1;
	let blindRounds = 0;
	for (let round = 0; round < MAX_FREEZE_ROUNDS && blindRounds < MAX_BLIND_ROUNDS; round++) {
		const all = await targets.signalNew("SIGSTOP");
		if (all === undefined) {
			blindRounds += 1;
			await wait(BLIND_WAIT_MS);
			continue;
		}
		const isFrozen = all.every((info) => info.state === "T" || info.state === "t" || info.state === "D");
		if (all.length === 0 || (isFrozen && all.length === seen)) return;
		seen = all.length;
		if (!isFrozen) await wait(FREEZE_WAIT_MS);
	}
}

/**
 * Asks at once, then in growing steps that are as long as a look takes, too; the last time at the end. A grace is over
 * by the clock, however slow the looks are. Who dies is waited for, looks not counted: on a slow machine both are slow.
 */
async function poll(
	{ wait = sleep, now = SYSTEM_CLOCK.elapsed }: EndRequest,
	{ forMs, isByClock }: { forMs: number; isByClock: boolean },
	isDone: () => Promise<boolean>,
): Promise<boolean> {
	let waitedMs = 0;
	let start: number | undefined; // when all that was there at the first look has got the signal
	for (let stepMs = 5; ; stepMs = Math.min(stepMs * 2, LONGEST_POLL_MS)) {
		const lookedAt = now();
		if (await isDone()) return true;
		start ??= now();
		const passedMs = isByClock ? Math.max(waitedMs, now() - start) : waitedMs;
		const ms = Math.min(Math.max(stepMs, now() - lookedAt), forMs - passedMs);
		if (ms <= 0) return false;
		await wait(ms);
		waitedMs += ms;
	}
}

/** ESRCH: it has just ended. EPERM: it is somebody else's by now; it will be among the survivors. */
function attempt(signal: () => void): void {
	try {
		signal();
	} catch {}
}
