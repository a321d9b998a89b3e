/** Runs the system's own `ps`. */
import { existsSync } from "node:fs";
import { AgentreeError } from "../../core/errors.ts";
import { childProcess } from "../child-process.ts";

/** `pid` is that of ps itself, which lists itself, too. */
export interface PsOutput {
	readonly pid: number;
	readonly stdout: string;
}

/** Both fail when ps cannot be run: a failed look never looks like an empty system. */
export interface Ps {
	/** Blocks the event loop. Throws AgentreeError("not_started"). */
	readonly run: (args: readonly string[]) => PsOutput;
	/** Does not block the event loop. Rejects with AgentreeError("not_started"). */
	readonly start: (args: readonly string[]) => Promise<PsOutput>;
}

const PROGRAMS = ["/bin/ps", "/usr/bin/ps"]; // not found by PATH: its output decides what is killed
// Dates in English and in UTC, which has no hour twice; UTF-8, so that names and paths are printed as they are.
const ENVIRONMENT = { LC_ALL: "C.UTF-8", TZ: "UTC0", PATH: "/bin:/usr/bin" };
const OPTIONS = { timeout: 30_000, maxBuffer: 256 * 1024 * 1024, env: ENVIRONMENT, encoding: "utf8" } as const;
const BLOCKING = { ...OPTIONS, timeout: 5_000 } as const; // the caller does nothing else meanwhile
const MAX_TRIES = 3; // a signal to this process's group or children meets its ps, too

export const SYSTEM_PS: Ps = {
	run: (args) => {
		for (let tries = 1; ; tries++) {
			const { pid, stdout, error, signal } = childProcess().spawnSync(program(), [...args], BLOCKING);
			if (error === undefined && signal === null) return { pid, stdout };
			if (error !== undefined || tries === MAX_TRIES) throw cannotLook(error?.message ?? `ps got ${signal}`);
		}
	},
	start: async (args) => {
		for (let tries = 1; ; tries++) {
			const outcome = await startOnce(args).catch((error: Error) => ({ reason: error.message, mayRetry: false })); // ENOMEM is thrown
			if ("stdout" in outcome) return outcome;
			if (!outcome.mayRetry || tries === MAX_TRIES) throw cannotLook(outcome.reason);
		}
	},
};

/** Runs ps once. An exit status that is not 0 is no failure: it says that no process was found. */
function startOnce(args: readonly string[]): Promise<PsOutput | { reason: string; mayRetry: boolean }> {
	return new Promise((resolve) => {
		const child = childProcess().execFile(program(), [...args], OPTIONS, (error, stdout) => {
			const hasLooked = error === null || (typeof error.code === "number" && !error.killed);
			if (hasLooked && child.pid !== undefined) return resolve({ pid: child.pid, stdout });
			resolve({ reason: error?.message ?? "ps has not started", mayRetry: Boolean(error?.signal && !error.killed) });
		});
	});
}

function program(): string {
	return PROGRAMS.find((path) => existsSync(path)) ?? "ps";
}

function cannotLook(reason: string): AgentreeError {
	return new AgentreeError("not_started", `cannot look at the processes of this system: ${reason}`);
}
