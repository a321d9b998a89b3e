/** The processes of a command: those in its shell's session, its descendants, and those that carry its cookie. Also those of all commands of an agent. */

import { setTimeout as sleep } from "node:timers/promises";
import { defined } from "../../core/defined.ts";
import { type AgentId, ROOT } from "../../core/model/agent.ts";
import { type Environment, isCookieWithin, isOfCommand, parseCookie, tokenIn } from "../../core/run/cookie.ts";
import { endWithCgroup, ownRunCgroup } from "../../processes/cgroups/run-cgroup.ts";
import { markOf, readMark } from "../../processes/run-mark.ts";
import { belongingTo, type Claims } from "../../processes/table/belonging.ts";
import { endProcesses } from "../../processes/table/end-processes.ts";
import {
	ifSeen,
	type Look,
	type ProcessInfo,
	type ProcessRef,
	type ProcessTable,
} from "../../processes/table/process-table.ts";
import type { Joined } from "../../wire/agent-messages.ts";
import type { LeftRunning } from "./output.ts";
import type { StartedShell } from "./start-shell.ts";

export interface CommandProcesses {
	readonly shell: ProcessRef;
	/** True while one of the processes is running or in a device wait, and so may print at once. */
	isBusy(): boolean;
	/** The processes that live on after the shell's exit, without those that are about to end. */
	leftRunning(): Promise<LeftRunning[]>;
	/** SIGTERM, the grace, SIGKILL. Resolves when no process lives, or even SIGKILL has not ended it. */
	endAll(graceMs: number): Promise<void>;
	/**
	 * As `endAll`, for a stop of the whole agent. Where looks are costly and the agents above have already signaled all of its
	 * processes, only the shell's group is signaled.
	 */
	endStopped(graceMs: number): Promise<void>;
}

// An ending process closes its files, and so the pipe, before it is over: processes at work get a moment to end.
const MAX_LOOKS = 5;
const LOOK_MS = 10;

/** By what its processes are found. */
export interface CommandPlace {
	readonly table: ProcessTable;
	/** From `commandEnvironment`. Its cookie marks the processes of the command. */
	readonly env: Record<string, string>;
	/** Replaces the function of that name in tests. */
	readonly waitForParentKill?: (agent: AgentId) => Promise<boolean>;
}

/** Takes the shell's start time. Throws when the process table cannot be read (`isFailedLook`). */
export function processesOf(
	started: Pick<StartedShell, "pid" | "child" | "exit">,
	{ table, env, waitForParentKill: wait = waitForParentKill }: CommandPlace,
): CommandProcesses {
	const { pid } = started;
	const startTime = table.read(pid)?.startTime ?? "0";
	const shell = { pid, startTime };
	let isOver = false;
	const agent = parseCookie(env)?.agent ?? ROOT;
	const claims: Claims = {
		commandAt: (leader) => (leader === pid ? { agent, startTime } : undefined),
		agentOfCookie: (environment, isForgeable) =>
			isOfCommand(environment, env) && (!isForgeable || tokenIn(environment) === tokenIn(env)) ? agent : undefined,
		startedSince: startTime,
		memory: new Map(),
	};
	const find = (look: Look) => belongingTo(look, claims);
	const findOrNone = (look: Look) => ifSeen(() => find(look))?.seen ?? []; // a result that names nothing is better than none
	/** While a process lives in its sandbox, that is here: the shell that was started is bwrap. */
	const isOfSandbox = (info: ProcessInfo) => info.pid === pid || info.parent === pid;
	const lookAfresh = async () => findOrNone(await table.freshLook().catch(() => table.look()));
	const endAll = async (graceMs: number) => {
		const killUnseen = () => signalGroup(started, "SIGKILL");
		const survivors = await endProcesses({ find, table, graceMs, killUnseen });
		isOver = survivors.length === 0; // processes that are over start no others
	};
	return {
		shell,
		isBusy: () => !isOver && findOrNone(table.look()).some(isAtWork),
		leftRunning: async () => {
			if (isOver || table.newestPid() === pid || isAloneInRun(env, agent)) return [];
			let found = await lookAfresh();
			for (let looks = 0; looks < MAX_LOOKS && found.some(isAtWork); looks++) {
				await sleep(LOOK_MS);
				found = await lookAfresh();
			}
			return found.filter((info) => !isOfSandbox(info)).map(({ pid, name }) => ({ pid, name }));
		},
		endAll,
		endStopped: async (graceMs) => {
			if (!table.isCostly || agent === ROOT || !(await wait(agent))) return endAll(graceMs);
			await endGroup(started, graceMs);
			isOver = true;
		},
	};
}

/** True when the cgroups of the agent and all below it hold the agent's own process alone: then nothing is left running. */
function isAloneInRun(env: Environment, agent: AgentId): boolean {
	const run = parseCookie(env)?.run;
	return run !== undefined && ownRunCgroup(run)?.isAlone(agent, process.pid) === true;
}

async function endGroup(started: Pick<StartedShell, "pid" | "child" | "exit">, graceMs: number) {
	signalGroup(started, "SIGTERM");
	await Promise.race([started.exit, sleep(graceMs, undefined, { ref: false })]);
	signalGroup(started, "SIGKILL");
}

/**
 * Signals the shell's group without looking at the process table. Until Node has waited for the shell, its pid and group
 * cannot have been given to another process, whether the shell lives or not.
 */
export function signalGroup({ pid, child }: Pick<StartedShell, "pid" | "child">, name: "SIGTERM" | "SIGKILL"): void {
	if (child.exitCode === null && child.signalCode === null) process.kill(-pid, name);
}

function isAtWork({ state }: ProcessInfo): boolean {
	return state === "R" || state === "D";
}

/** For when its supervisor is gone and cannot do it: ends all that the agent's commands have started, once, however often it is called. */
export function ownProcessesEnder(joined: Joined, table: ProcessTable): () => Promise<void> {
	let ending: Promise<void> | undefined;
	return () => {
		ending ??= endOwnProcesses(joined, table);
		return ending;
	};
}

/** Ends also what only the agent's cgroup still finds. The root ends the whole run. */
async function endOwnProcesses({ run, agent, token }: Joined, table: ProcessTable): Promise<void> {
	if (table.isCostly && agent !== ROOT && (await waitForParentKill(agent))) return;
	const cgroup = ownRunCgroup(run);
	const claims: Claims = {
		agentOfCookie: (environment, isForgeable) =>
			isCookieWithin(environment, run, agent) && (!isForgeable || tokenIn(environment) === token) ? agent : undefined,
		...(agent === ROOT && { agentOfMark: (pid: number) => (readMark(pid) === markOf(run) ? ROOT : undefined) }),
		...defined({ startedSince: ifSeen(() => table.read(process.pid))?.seen?.startTime }),
		memory: new Map(),
	};
	const find = (look: Look) => belongingTo(look, claims);
	await endWithCgroup({ table, find }, { cgroup, agent, exceptPid: process.pid });
}

/**
 * When all agents of a tree are to end, an agent finds the processes of all agents below it, too, and sends SIGTERM to all
 * of them. Where a look at the process table starts a process, a whole tree that looks at the same time holds itself up. So
 * there only the root looks at once, and the other agents wait a moment for the SIGTERM of one above.
 */

const MOMENT_MS = 1_000;
// If no agent above lives, siblings begin one after the other; and on a busy machine the root's look takes its time.
const EACH_SIBLING_MS = 50;
const MAX_SIBLINGS_MS = 2_000;

let waiting: Promise<boolean> | undefined;

/** Resolves to false when no SIGTERM comes: all agents above are dead, suspended, or go on. Calls meanwhile share the wait. */
function waitForParentKill(agent: AgentId): Promise<boolean> {
	const siblingsMs = EACH_SIBLING_MS * Number(agent.split(".").at(-1));
	waiting ??= waitForTerm(MOMENT_MS + Math.min(siblingsMs, MAX_SIBLINGS_MS)).finally(() => {
		waiting = undefined;
	});
	return waiting;
}

async function waitForTerm(ms: number): Promise<boolean> {
	let onTerm = () => {};
	const termed = new Promise<boolean>((resolve) => {
		onTerm = () => resolve(true);
		process.once("SIGTERM", onTerm);
	});
	const isTermed = await Promise.race([termed, sleep(ms, false)]);
	process.removeListener("SIGTERM", onTerm);
	return isTermed;
}
