/**
 * Starts the process that runs a command outside of its agent's sandbox (agent/bash/outside-runner.ts). It belongs to the agent as a
 * command does, by its session and its cookie. Should it be killed, what it has started is ended from here.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { dirname, join } from "node:path";
import type { AgentId } from "../../../core/model/agent.ts";
import { helperCookie, isOfCommand, withCertificatesAside } from "../../../core/run/cookie.ts";
import type { RunCgroup } from "../../../processes/cgroups/run-cgroup.ts";
import { belongingTo } from "../../../processes/table/belonging.ts";
import { endProcesses, type SendSignal } from "../../../processes/table/end-processes.ts";
import { ifSeen, type Look, type ProcessTable } from "../../../processes/table/process-table.ts";
import type { FromOutsideRunner, ToOutsideRunner } from "../../../wire/outside-messages.ts";
import type { RunSettings } from "../../../wire/supervise-order.ts";
import type { RunProcesses } from "../run-processes.ts";
import { setMark } from "./root-agent.ts";

export interface OutsideStart {
	readonly agent: AgentId;
	/** The number of the agent's command in which it was asked for. */
	readonly command: number;
	/** By which its processes are told from all others of the agent. */
	readonly cookie: Readonly<Record<string, string>>;
	readonly settings: Pick<RunSettings, "nodeProgram" | "agentProgram" | "env" | "socket" | "run">;
}

export interface OutsideRunner {
	say(message: ToOutsideRunner): void;
	onSaid(listener: (message: FromOutsideRunner) => void): void;
	/** Resolves when its process is over, and nothing lives of what it had not ended; with the reason if it could not be started. */
	readonly over: Promise<string | undefined>;
}

interface OutsideRunnerDeps {
	readonly table: ProcessTable;
	readonly processes: Pick<RunProcesses, "addCommand">;
	readonly cgroup: RunCgroup | undefined;
	readonly kill?: SendSignal | undefined;
}

export function startOutsideRunner(start: OutsideStart, deps: OutsideRunnerDeps): OutsideRunner {
	try {
		const child = spawnRunner(start);
		const over = new Promise<string | undefined>((resolve) => {
			child.once("error", (error) => resolve(error.message));
			child.once(
				"exit",
				(code) => void (code === 0 ? Promise.resolve() : endLeft(start, deps)).then(() => resolve(undefined)),
			);
		});
		if (child.pid !== undefined) takeIn(child.pid, start, deps);
		return {
			over,
			say: (message) => void (child.connected && child.send(message, () => {})), // it may have ended meanwhile
			onSaid: (listener) => void child.on("message", (message) => listener(message as FromOutsideRunner)),
		};
	} catch (error) {
		return { over: Promise.resolve((error as Error).message), say: () => {}, onSaid: () => {} };
	}
}

function spawnRunner({ agent, settings }: OutsideStart): ChildProcess {
	const { nodeProgram, agentProgram, env, socket, run } = settings;
	return spawn(nodeProgram, [join(dirname(agentProgram), "outside-runner.js")], {
		cwd: "/",
		env: { ...withCertificatesAside(env), ...helperCookie({ run, socket, agent }) },
		detached: true,
		stdio: ["ignore", "ignore", "ignore", "ipc"],
	});
}

function takeIn(
	pid: number,
	{ agent, command, settings }: OutsideStart,
	{ table, processes, cgroup }: OutsideRunnerDeps,
): void {
	setMark(pid, settings.run);
	cgroup?.adopt(agent, pid);
	const startTime = ifSeen(() => table.read(pid))?.seen?.startTime;
	if (startTime !== undefined) processes.addCommand({ agent, command, pid, startTime }, table);
}

/** It was killed. What cannot be looked at now is ended with the agent. */
async function endLeft({ agent, cookie }: OutsideStart, { table, kill }: OutsideRunnerDeps): Promise<void> {
	const claims = {
		agentOfCookie: (environment: Readonly<Record<string, string>>) =>
			isOfCommand(environment, cookie) ? agent : undefined,
		memory: new Map(),
	};
	await endProcesses({ table, kill, find: (look: Look) => belongingTo(look, claims) }).catch(() => {});
}
