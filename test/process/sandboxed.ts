/**
 * Commands of the runs in tests are in a sandbox, as they are by default; `npm run test:unsandboxed` runs the tests of processes once
 * more without one. What a command in a sandbox sees has other pids. What it cannot do at all is skipped, with the reason, or a run
 * of a test is `WITHOUT_SANDBOX`, and the comment at the top of the file says why.
 */
import { readFileSync, readlinkSync } from "node:fs";
import { vi } from "vitest";
import { hasEnded, procTable } from "../../src/processes/table/process-table.ts";
import { WAIT } from "../wait.ts";
import type { Program } from "./program.ts";

/** vitest.config.mts */
export const IS_SANDBOXED = process.env.AGENTREE_SANDBOX !== "off";

/** Environment of a program. */
export const WITHOUT_SANDBOX = { AGENTREE_SANDBOX: "off" };

/** For the end of a title. `reason`: why the test says nothing of a run in a sandbox. */
export function skippedInside(reason: string): string {
	return IS_SANDBOXED ? ` (skipped in a sandbox: ${reason})` : "";
}

/** The pid, here, of a process that has that pid where it runs; `directory` is its working directory. */
export function pidHere(pid: number, directory: string): number | undefined {
	const found = procTable.list().find((info) => !hasEnded(info) && isIt(info.pid, { pid, directory }));
	return found?.pid;
}

/** The process that runs these words in that directory. */
export function pidRunning(words: string, directory: string): number | undefined {
	const found = procTable.list().find((info) => !hasEnded(info) && runs(info.pid, { words, directory }));
	return found?.pid;
}

function runs(pid: number, { words, directory }: { words: string; directory: string }): boolean {
	try {
		const line = readFileSync(`/proc/${pid}/cmdline`, "utf8");
		return line === `${words.replaceAll(" ", "\0")}\0` && readlinkSync(`/proc/${pid}/cwd`) === directory;
	} catch {
		return false; // it has ended meanwhile
	}
}

function isIt(here: number, { pid, directory }: { pid: number; directory: string }): boolean {
	try {
		const [, numbers = ""] = /^NSpid:\s+(.*)$/m.exec(readFileSync(`/proc/${here}/status`, "utf8")) ?? [];
		return Number(numbers.split(/\s/).at(-1)) === pid && readlinkSync(`/proc/${here}/cwd`) === directory;
	} catch {
		return false; // it has ended meanwhile
	}
}

/** Sends a signal to an agent once it has joined: a command in a sandbox cannot signal the agent that runs it. */
export async function signalAgent(program: Program, agent: string, signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
	const joined = await vi.waitFor(() => {
		const found = program.events().find((event) => event.event === "agent_joined" && event.agent === agent);
		if (found?.event !== "agent_joined") throw new Error(`agent ${agent} has not joined`);
		return found;
	}, WAIT);
	process.kill(joined.pid, signal);
}
