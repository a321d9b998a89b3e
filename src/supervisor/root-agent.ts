/** Starts the root agent: a process as every other agent, in a session of its own so that only the supervisor gets Ctrl-C. */
import { spawn } from "node:child_process";
import { constants } from "node:os";
import type { Ending } from "../core/agent.ts";
import type { RunSettings } from "./admit.ts";

export interface RootAgent {
	readonly pid: number | undefined;
	/** What to believe of its end when it had not said it. */
	readonly exited: Promise<Ending>;
	/** After its exit; 0 when a signal ended it. Not 0 when it had an answer and could not write it. */
	exitStatus(): number;
	/** At once, while it has not exited: until then its pid is its own. */
	kill(): void;
}

/** Its answer goes to our own stdout and stderr, or nowhere. */
export function startRootAgent(settings: RunSettings): RootAgent {
	const { nodeProgram, agentProgram, cwd, env, socket, run, rootStdio: stdio } = settings;
	const child = spawn(nodeProgram, [agentProgram, "--as-root"], {
		cwd,
		env: { ...env, AGENTREE_SOCKET: socket, AGENTREE_AGENT: run },
		detached: true,
		stdio: ["ignore", stdio, stdio],
	});
	const exited = new Promise<Ending>((resolve) => {
		child.once("error", (error) =>
			resolve({ by: "crashed", reason: `the root agent could not be started: ${error.message}` }),
		);
		child.once("exit", (code, signal) => resolve(endingOf(code, signal)));
	});
	return { pid: child.pid, exited, exitStatus: () => child.exitCode ?? 0, kill: () => child.kill("SIGKILL") };
}

function endingOf(code: number | null, signal: NodeJS.Signals | null): Ending {
	if (signal !== null && constants.signals[signal] !== undefined) return { by: "killed", signal };
	return { by: "crashed", reason: `its process ended with exit status ${code} before it had finished` };
}
