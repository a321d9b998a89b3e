/**
 * Starts the root agent: a process like every other agent, in a session of its own so that only the supervisor gets
 * Ctrl-C.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import { EXIT } from "../../core/errors.ts";
import { adviceToPerson } from "../../core/machine/errno-advice.ts";
import { SYSTEM_PATH } from "../../core/machine/paths.ts";
import type { AgentId, Ending } from "../../core/model/agent.ts";
import { helperCookie, isOfCommand, rootCookie, withCertificatesAside } from "../../core/run/cookie.ts";
import { type RunCgroup, startRunCgroup } from "../../processes/cgroups/run-cgroup.ts";
import { startFailureOf } from "../../processes/child-process.ts";
import { markOf } from "../../processes/run-mark.ts";
import { belongingTo } from "../../processes/table/belonging.ts";
import { endProcesses, type SendSignal } from "../../processes/table/end-processes.ts";
import { ifSeen, type Look, type ProcessTable } from "../../processes/table/process-table.ts";
import type { FromOutsideRunner, ToOutsideRunner } from "../../wire/outside-messages.ts";
import type { RunSettings } from "../../wire/supervise-order.ts";
import type { RunProcesses } from "./run-processes.ts";

export interface RootAgent {
	/** Resolves, when its process has exited, to the ending to record if the agent itself told none. */
	readonly exited: Promise<Ending>;
	/** Known after the exit; 0 when a signal ended the process. Not 0 when the agent had an answer and could not write it. */
	exitStatus(): number;
	/** Resolves once what its process starts has the run's mark, and is in its cgroup. To be awaited before the agent is let in. */
	readonly isPlaced: Promise<unknown>;
}

/** The root agent as the machine has it. */
export interface RootProcess extends RootAgent {
	/** Undefined when it could not be started. */
	readonly pid: number | undefined;
	/** The run's, made for it. Undefined where there is none. */
	readonly cgroup: Promise<RunCgroup | undefined>;
	/** SIGKILL, while it has not exited: until then no other process can have its pid. */
	kill(): void;
}

export type RootSettings = Pick<
	RunSettings,
	"nodeProgram" | "agentProgram" | "cwd" | "env" | "socket" | "run" | "rootStdio"
>;

/** A root agent whose process starts, and then waits. When this process ends before it has begun, it ends, too. */
export interface HeldRoot extends RootProcess {
	/** Lets it join. */
	begin(): void;
}

const NONE = Promise.resolve(undefined);

/**
 * Starts the process of the root agent: while Node starts, there is other work to do. Its answer goes to this process's own stdout and
 * stderr, or nowhere. Never throws: that it cannot be started is an ending.
 */
export function holdRootAgent(settings: RootSettings): HeldRoot {
	try {
		const child = spawnRoot(settings);
		const { pid } = child;
		const cgroup = pid === undefined ? NONE : startRunCgroup(settings.run, pid);
		const isPlaced = Promise.all([cgroup, setMark(pid, settings.run)]);
		return { ...follow(child, settings), cgroup, isPlaced, begin: () => void child.stdin?.end("\n") };
	} catch (error) {
		const ending = notStarted(error as NodeJS.ErrnoException, settings);
		return { ...notBegun(ending), pid: undefined, cgroup: NONE, kill: () => {}, begin: () => {} };
	}
}

export function startRootAgent(settings: RootSettings, held = holdRootAgent(settings)): RootProcess {
	held.begin();
	return held;
}

/** Stands for one that was not even tried to be started. */
export function notBegun(ending: Ending): RootAgent {
	return { exited: Promise.resolve(ending), exitStatus: () => 0, isPlaced: NONE };
}

function spawnRoot({ nodeProgram, agentProgram, cwd, env, socket, run, rootStdio: stdio }: RootSettings): ChildProcess {
	return spawn(nodeProgram, [agentProgram, "--as-root"], {
		cwd,
		env: { ...withCertificatesAside(env), ...rootCookie({ run, socket }) },
		detached: true,
		stdio: ["pipe", stdio, stdio],
	});
}

const MARK_MS = 2_000;

/** What the process will start has the mark then. Without a `prlimit` (util-linux) a run has none. Never rejects. */
function setMark(pid: number | undefined, run: string): Promise<void> {
	if (pid === undefined) return Promise.resolve();
	const mark = markOf(run);
	const options = { stdio: "ignore", timeout: MARK_MS, env: { PATH: SYSTEM_PATH } } as const;
	const over = new Promise<void>((resolve) => {
		const prlimit = spawn("prlimit", ["--pid", String(pid), `--locks=${mark}:${mark}`], options);
		prlimit.once("error", () => resolve());
		prlimit.once("exit", () => resolve());
	});
	return over.catch(() => {});
}

function follow(child: ChildProcess, settings: RootSettings): Omit<RootProcess, "cgroup" | "isPlaced"> {
	child.stdin?.on("error", () => {}); // its end says it all
	const exited = new Promise<Ending>((resolve) => {
		child.once("error", (error) => resolve(notStarted(error, settings)));
		child.once("exit", (code, signal) => resolve(endingOf(code, signal)));
	});
	// Right after a failed start Node would signal pid 0: our own process group.
	const kill = () => void (child.pid !== undefined && child.kill("SIGKILL"));
	return { pid: child.pid, exited, exitStatus: () => child.exitCode ?? 0, kill };
}

function notStarted(error: NodeJS.ErrnoException, settings: RootSettings): Ending {
	const reason = `the root agent could not be started: ${whyNotStarted(error, settings)}`;
	return { by: "failure", reason, exitCode: EXIT.failure };
}

function whyNotStarted(error: NodeJS.ErrnoException, { cwd, nodeProgram }: RootSettings): string {
	const { code = "", message } = error;
	switch (startFailureOf(error, cwd)) {
		case "no_program":
			return `${nodeProgram} no longer exists (${code})`;
		case "no_directory":
			return `the working directory ${cwd} no longer exists (${code})`;
		case "not_permitted":
			return `${nodeProgram} cannot be run, or the working directory ${cwd} cannot be entered (${code})`;
		case "other":
			return adviceToPerson(code) ?? message;
	}
}

function endingOf(code: number | null, signal: NodeJS.Signals | null): Ending {
	if (signal !== null && constants.signals[signal] !== undefined) return { by: "killed", signal };
	return { by: "crashed", reason: `its process ended with exit status ${code} before it had finished` };
}

/**
 * Starts the process that runs a command outside of its agent's sandbox (agent/bash/outside-runner.ts). It belongs to the agent as a
 * command does, by its session and its cookie. Should it be killed, what it has started is ended from here.
 */

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
		const marked = setMark(child.pid, start.settings.run);
		if (child.pid !== undefined) takeIn(child.pid, start, deps);
		const send = (message: ToOutsideRunner) => child.connected && child.send(message, () => {}); // it may have ended meanwhile
		return {
			over,
			say: (message) => void marked.then(() => send(message)),
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

function takeIn(pid: number, { agent, command }: OutsideStart, { table, processes, cgroup }: OutsideRunnerDeps): void {
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
