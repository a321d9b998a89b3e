/** Runs the system's own `ps`. */
import { execFile, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { AgentreeError } from "../core/errors.ts";

/** `pid` is that of ps itself, which is in its own list. */
export interface PsOutput {
	readonly pid: number;
	readonly stdout: string;
}

/** Both fail when it cannot be run: what could not be seen is never taken for what is not there. */
export interface Ps {
	readonly run: (args: readonly string[]) => PsOutput;
	/** Blocks nobody meanwhile. */
	readonly start: (args: readonly string[]) => Promise<PsOutput>;
}

const PROGRAMS = ["/bin/ps", "/usr/bin/ps"]; // not by PATH: what it says decides who is killed
// The date in English, and in UTC, which has no hour twice; names and paths as they are.
const ENVIRONMENT = { LC_ALL: "C.UTF-8", TZ: "UTC0", PATH: "/bin:/usr/bin" };
const OPTIONS = { timeout: 30_000, maxBuffer: 256 * 1024 * 1024, env: ENVIRONMENT, encoding: "utf8" } as const;
const BLOCKING = { ...OPTIONS, timeout: 5_000 } as const; // meanwhile the asker does nothing else
const MAX_TRIES = 3; // a signal to all below us, or to our group, meets our ps, too

export const SYSTEM_PS: Ps = {
	run: (args) => {
		for (let tries = 1; ; tries++) {
			const { pid, stdout, error, signal } = spawnSync(program(), [...args], BLOCKING);
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

/** Its exit status says only whether it found anything. */
function startOnce(args: readonly string[]): Promise<PsOutput | { reason: string; mayRetry: boolean }> {
	return new Promise((resolve) => {
		const child = execFile(program(), [...args], OPTIONS, (error, stdout) => {
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
