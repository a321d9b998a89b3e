/** Which processes belong to a command: the session of its shell, its descendants, and what carries its cookie. */
import { setTimeout as sleep } from "node:timers/promises";
import { ROOT } from "../../core/agent.ts";
import { isOfCommand, parseCookie } from "../../core/cookie.ts";
import { belongingTo, type Claims } from "../../processes/belonging.ts";
import { endProcesses } from "../../processes/end-processes.ts";
import { ifSeen } from "../../processes/failed-look.ts";
import type { Look, ProcessInfo, ProcessRef } from "../../processes/process-table.ts";
import type { CommandSpec } from "./command-spec.ts";
import type { LeftRunning } from "./output.ts";
import type { StartedShell } from "./sandbox.ts";
import { isEndedFromAbove } from "./wait-for-parent-kill.ts";

export interface CommandProcesses {
	readonly shell: ProcessRef;
	/** Some process of it has work to do: it may print at once. */
	isBusy(): boolean;
	/** What lives of it, and is not just about to end. */
	left(): Promise<LeftRunning[]>;
	/** TERM, grace, KILL. */
	endAll(graceMs: number): Promise<void>;
	/** For a stop of the whole agent, which those above it may have looked for, too: then the shell's group, as above. */
	endStopped(graceMs: number): Promise<void>;
}

// An ending process closes its files, and so the pipe, before it is over: what is at work gets a moment to end.
const MAX_LOOKS = 5;
const LOOK_MS = 10;

/** Throws when it cannot look at the shell (`isFailedLook`). */
export function processesOf(
	started: Pick<StartedShell, "pid" | "child" | "exit">,
	{ table, env, ...above }: Pick<CommandSpec, "table" | "env" | "isEndedFromAbove">,
): CommandProcesses {
	const { pid } = started;
	const startTime = table.read(pid)?.startTime ?? "0";
	const shell = { pid, startTime };
	let isOver = false;
	const agent = parseCookie(env)?.agent ?? ROOT;
	const claims: Claims = {
		commandAt: (leader) => (leader === pid ? { agent, startTime } : undefined),
		agentOfCookie: (environment) => (isOfCommand(environment, env) ? agent : undefined),
		startedSince: startTime,
		memory: new Map(),
	};
	const find = (look: Look) => belongingTo(look, claims);
	const findAny = (look: Look) => ifSeen(() => find(look))?.seen ?? []; // a result that names nothing is better than none
	const lookAfresh = async () => findAny(await table.freshLook().catch(() => table.look()));
	const endAll = async (graceMs: number) => {
		const killUnseen = () => signalGroup(started, "SIGKILL");
		const survivors = await endProcesses({ find, table, graceMs, killUnseen });
		isOver = survivors.length === 0; // what does not live starts nothing
	};
	return {
		shell,
		isBusy: () => !isOver && findAny(table.look()).some(isAtWork),
		left: async () => {
			if (isOver || table.newestPid() === pid) return [];
			let found = await lookAfresh();
			for (let looks = 0; looks < MAX_LOOKS && found.some(isAtWork); looks++) {
				await sleep(LOOK_MS);
				found = await lookAfresh();
			}
			return found.map(({ pid, name }) => ({ pid, name }));
		},
		endAll,
		endStopped: async (graceMs) => {
			const isSeen = above.isEndedFromAbove ?? isEndedFromAbove;
			if (!table.isCostly || agent === ROOT || !(await isSeen(agent))) return endAll(graceMs);
			await endGroup(started, graceMs);
			isOver = true;
		},
	};
}

async function endGroup(started: Pick<StartedShell, "pid" | "child" | "exit">, graceMs: number) {
	signalGroup(started, "SIGTERM");
	await Promise.race([started.exit, sleep(graceMs, undefined, { ref: false })]);
	signalGroup(started, "SIGKILL");
}

/** Without a look. Until Node has waited for the shell, pid and group are its own, whether it lives or not. */
export function signalGroup({ pid, child }: Pick<StartedShell, "pid" | "child">, name: "SIGTERM" | "SIGKILL"): void {
	if (child.exitCode === null && child.signalCode === null) process.kill(-pid, name);
}

function isAtWork({ state }: ProcessInfo): boolean {
	return state === "R" || state === "D";
}
