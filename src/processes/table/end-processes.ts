/**
 * Ends a set of processes that may fork while it is being ended. They are asked to end (SIGTERM) and get a grace; what is
 * left is frozen (SIGSTOP) until a look at the process table finds nothing new, and only then killed (SIGKILL): a frozen
 * process starts no other one. Before each signal pid and start time are checked again, since another process may have got
 * the pid. When the table cannot be read (a fork bomb leaves no process for ps), what is known without it is killed first.
 */

import { setTimeout as sleep } from "node:timers/promises";
import { SYSTEM_CLOCK } from "../system-clock.ts";
import { processKey, SANDBOX_MONITOR } from "./belonging.ts";
import {
	isFailedLook,
	type Look,
	type ProcessInfo,
	type ProcessRef,
	type ProcessTable,
	readAlive,
} from "./process-table.ts";

export type SendSignal = (pid: number, signal: "SIGTERM" | "SIGSTOP" | "SIGCONT" | "SIGKILL") => void;

export interface EndRequest {
	/** Finds the processes to end; called for each look. A process that it has named once stays in the set while it lives. */
	readonly find: (look: Look) => ProcessInfo[];
	readonly table: Pick<ProcessTable, "read" | "look" | "freshLook">;
	/** Between SIGTERM and SIGKILL; absent: GRACE_MS. 0: SIGKILL at once, without SIGTERM. */
	readonly graceMs?: number | undefined;
	/** Kills what can be killed without the process table: whole groups. Absent: a look that fails is thrown. */
	readonly killUnseen?: () => void;
	readonly kill?: SendSignal | undefined;
	readonly wait?: (ms: number) => Promise<void>;
	/** Milliseconds that never go back. */
	readonly now?: () => number;
}

/** Between SIGTERM and SIGKILL, wherever processes are ended. */
export const GRACE_MS = 3_000;

/** For a request: SIGKILL without SIGTERM. */
export const AT_ONCE = { graceMs: 0 };

const MAX_FREEZE_ROUNDS = 100; // 200 ms at least; a fork loop is frozen long before
const FREEZE_WAIT_MS = 2;
const MAX_BLIND_ROUNDS = 40;
const BLIND_WAIT_MS = 50; // what was killed without a look must end before ps can be started again
const MAX_DYING_MS = 2_000; // a process in a device wait (state D) dies when the device answers
const LONGEST_POLL_MS = 100;

/**
 * Resolves to the survivors: the processes that even SIGKILL did not end or, when the table can no longer be read, those
 * that were last seen alive. Rejects when a look fails and there is no `killUnseen`.
 */
export async function endProcesses(request: EndRequest): Promise<ProcessRef[]> {
	const targets = createTargets(request);
	const isOverAfter = async (signal: "SIGTERM" | "SIGKILL") => (await targets.signalNew(signal))?.length === 0;
	const { graceMs = GRACE_MS } = request;
	const grace = { forMs: graceMs, isByClock: true };
	const isOver = graceMs > 0 && (await poll(request, grace, () => isOverAfter("SIGTERM")));
	if (isOver) return targets.isAnyRefused() ? refsOf(await targets.survivors()) : [];
	await freeze(request, targets);
	await poll(request, { forMs: MAX_DYING_MS, isByClock: false }, () => isOverAfter("SIGKILL"));
	return refsOf(await targets.survivors());
}

function refsOf(processes: ProcessRef[]): ProcessRef[] {
	return processes.map(({ pid, startTime }) => ({ pid, startTime }));
}

interface Targets {
	/**
	 * Sends the signal to each living target that has not got it yet. Resolves to the living targets that may be
	 * signaled; undefined: the look failed.
	 */
	signalNew(signal: "SIGTERM" | "SIGSTOP" | "SIGKILL"): Promise<ProcessInfo[] | undefined>;
	/** Whether a signal to a target was not permitted. */
	isAnyRefused(): boolean;
	survivors(): Promise<ProcessRef[]>;
}

function createTargets(request: EndRequest): Targets {
	const { kill = (pid, signal) => process.kill(pid, signal), table } = request;
	const known = new Map<string, ProcessRef>();
	const sent = new Set<string>();
	const refused = new Set<string>(); // another user's, such as a set-uid program: to wait for their end would be in vain
	const living = async () => {
		const look = await table.freshLook().catch(() => table.look()); // the second throws the reason
		const found = new Map(request.find(look).map((info) => [processKey(info), info]));
		for (const [name, info] of found) known.set(name, info);
		return [...known].flatMap(([name, ref]) => {
			const info = found.get(name) ?? readAlive(look, ref);
			if (info === undefined) known.delete(name);
			return info ?? [];
		});
	};
	const signalNew = async (signal: "SIGTERM" | "SIGSTOP" | "SIGKILL") => {
		const all = await living();
		const now = table.look(); // one look for all signals: where looks are slow, a fork loop would win
		for (const info of all) {
			const key = `${signal} ${processKey(info)}`;
			if (sent.has(key) || info.pid <= 1 || info.pid === process.pid) continue;
			if (signal === "SIGTERM" && info.name === SANDBOX_MONITOR) continue; // it ends when all in its sandbox have ended
			if (readAlive(now, info) !== undefined && !isAllowed(() => kill(info.pid, signal))) refused.add(processKey(info));
			sent.add(key);
		}
		return all.filter((info) => !refused.has(processKey(info)));
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
		isAnyRefused: () => refused.size > 0,
		survivors: async () => {
			const seen = living().then((all) => all.filter((info) => readAlive(table, info) !== undefined));
			return (await orBlind(seen)) ?? [...known.values()];
		},
	};
}

/**
 * Stops all targets. After SIGSTOP a process may still run for a moment on another processor, and fork; so look until
 * all are stopped.
 */
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
 * Calls `isDone` at once, then after growing waits, each at least as long as the last call took, and once more at the
 * end. Resolves to whether it was true in time. `isByClock`: a grace is over by the clock, however slow the looks are.
 * Otherwise only waits count: on a slow machine processes die as slowly as they are looked at.
 */
async function poll(
	{ wait = sleep, now = SYSTEM_CLOCK.elapsed }: EndRequest,
	{ forMs, isByClock }: { forMs: number; isByClock: boolean },
	isDone: () => Promise<boolean>,
): Promise<boolean> {
	let waitedMs = 0;
	let start: number | undefined; // when all targets of the first look had got the signal
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

/** False for EPERM: the process is another user's, and will be among the survivors. ESRCH (it has just ended) is ignored. */
function isAllowed(signal: () => void): boolean {
	try {
		signal();
		return true;
	} catch (error) {
		return (error as NodeJS.ErrnoException).code !== "EPERM";
	}
}
