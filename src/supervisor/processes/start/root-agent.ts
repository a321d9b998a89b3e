/**
 * Starts the root agent: a process like every other agent, in a session of its own so that only the supervisor gets
 * Ctrl-C.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { constants } from "node:os";
import { EXIT } from "../../../core/errors.ts";
import { adviceToPerson } from "../../../core/machine/errno-advice.ts";
import { SYSTEM_PATH } from "../../../core/machine/paths.ts";
import type { Ending } from "../../../core/model/agent.ts";
import { rootCookie, withCertificatesAside } from "../../../core/run/cookie.ts";
import { startFailureOf } from "../../../processes/child-process.ts";
import { markOf } from "../../../processes/run-mark.ts";
import type { RunSettings } from "../../../wire/supervise-order.ts";

export interface RootAgent {
	/** Resolves, when its process has exited, to the ending to record if the agent itself told none. */
	readonly exited: Promise<Ending>;
	/** Known after the exit; 0 when a signal ended the process. Not 0 when the agent had an answer and could not write it. */
	exitStatus(): number;
}

/** The root agent as the machine has it. */
export interface RootProcess extends RootAgent {
	/** Undefined when it could not be started. */
	readonly pid: number | undefined;
	/** SIGKILL, while it has not exited: until then no other process can have its pid. */
	kill(): void;
}

export type RootSettings = Pick<
	RunSettings,
	"nodeProgram" | "agentProgram" | "cwd" | "env" | "socket" | "run" | "rootStdio"
>;

/**
 * Starts the root agent. Its answer goes to the supervisor's own stdout and stderr, or nowhere. Never throws: that it
 * cannot be started is an ending.
 */
export function startRootAgent(settings: RootSettings): RootProcess {
	try {
		const child = spawnRoot(settings);
		if (child.pid !== undefined) setMark(child.pid, settings.run);
		return follow(child, settings);
	} catch (error) {
		const exited = Promise.resolve(notStarted(error as NodeJS.ErrnoException, settings));
		return { pid: undefined, exited, exitStatus: () => 0, kill: () => {} };
	}
}

/** Stands for one that was not even tried to be started. */
export function notBegun(ending: Ending): RootAgent {
	return { exited: Promise.resolve(ending), exitStatus: () => 0 };
}

function spawnRoot({ nodeProgram, agentProgram, cwd, env, socket, run, rootStdio: stdio }: RootSettings): ChildProcess {
	return spawn(nodeProgram, [agentProgram, "--as-root"], {
		cwd,
		env: { ...withCertificatesAside(env), ...rootCookie({ run, socket }) },
		detached: true,
		stdio: ["ignore", stdio, stdio],
	});
}

const MARK_MS = 2_000;

/** While node still starts: what the process will start has the mark. Without a `prlimit` (util-linux) a run has none. */
export function setMark(pid: number, run: string): void {
	const mark = markOf(run);
	spawnSync("prlimit", ["--pid", String(pid), `--locks=${mark}:${mark}`], {
		...{ stdio: "ignore", timeout: MARK_MS, env: { PATH: SYSTEM_PATH } },
	});
}

function follow(child: ChildProcess, settings: RootSettings): RootProcess {
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
