/** Which processes belong to a command: the session of its shell, its descendants, and what carries its cookie. */
import { setTimeout as sleep } from "node:timers/promises";
import { ROOT } from "../../core/agent.ts";
import { isOfCommand, parseCookie } from "../../core/cookie.ts";
import { endProcesses } from "../../processes/end-processes.ts";
import { ifSeen } from "../../processes/failed-look.ts";
import { findProcesses } from "../../processes/find-processes.ts";
import type { ProcessInfo, ProcessRef } from "../../processes/process-table.ts";
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
	const cookie = (environment: Record<string, string>) => isOfCommand(environment, env);
	const carriers = new Set<string>();
	const below = { roots: [shell], sessions: [pid], cookie, startedSince: startTime, except: [], carriers };
	const find = (now = table): ProcessInfo[] => findProcesses(now, below);
	const findAny = (now = table) => ifSeen(() => find(now))?.seen ?? []; // a result that names nothing is better than none
	const look = async () => findAny(await table.fresh?.().catch(() => undefined));
	const endAll = async (graceMs: number) => {
		const killUnseen = () => signalGroup(started, "SIGKILL");
		const survivors = await endProcesses({ find, table, graceMs, killUnseen });
		isOver = survivors.length === 0; // what does not live starts nothing
	};
	return {
		shell,
		isBusy: () => !isOver && findAny().some(isAtWork),
		left: async () => {
			if (isOver || table.newestPid?.() === pid) return [];
			let found = await look();
			for (let looks = 0; looks < MAX_LOOKS && found.some(isAtWork); looks++) {
				await sleep(LOOK_MS);
				found = await look();
			}
			return found.map(({ pid, name }) => ({ pid, name }));
		},
		endAll,
		endStopped: async (graceMs) => {
			const agent = parseCookie(env)?.agent ?? ROOT;
			const isSeen = above.isEndedFromAbove ?? isEndedFromAbove;
			if (table.fresh === undefined || agent === ROOT || !(await isSeen(agent))) return endAll(graceMs);
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
