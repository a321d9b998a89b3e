import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { onTestFinished } from "vitest";
import { type CommandResult, type CommandSpec, type RunningBash, startCommand } from "../../../src/agent/bash/bash.ts";
import { commandEnvironment } from "../../../src/agent/bash/environment.ts";
import { createPipes } from "../../../src/agent/bash/pipe.ts";
import { unconfined } from "../../../src/agent/bash/start-shell.ts";
import { procTable } from "../../../src/processes/table/process-table.ts";

export const PROGRAMS = resolve("test/fixtures/programs");
export const RUN = "20261127-201530-test";

export function makeDirectory(): string {
	const directory = mkdtempSync(join(tmpdir(), "agentree-bash-"));
	onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
	return directory;
}

export interface Started extends RunningBash {
	directory: string;
	/** Resolves when the shell has started. */
	started: Promise<{ pid: number; startTime: string }>;
}

export function start(command: string, changes: Partial<CommandSpec> & { agent?: string } = {}): Started {
	const { agent = "1", ...rest } = changes;
	const directory = rest.agentDirectory ?? makeDirectory();
	const place = { run: `${RUN}-${directory.slice(-6)}`, agent, command: rest.number ?? 1, token: "t", socket: "/s" };
	const env = commandEnvironment(
		{ PATH: process.env.PATH, HOME: directory },
		{ ...place, shimDirectory: "/shim", home: directory },
	);
	let onStarted: CommandSpec["onStarted"] = () => {};
	const started = new Promise<{ pid: number; startTime: string }>((resolve) => {
		onStarted = resolve;
	});
	const running = startCommand({
		number: 1,
		command,
		timeoutMs: 20_000,
		agentDirectory: directory,
		pipes: createPipes(makeDirectory(), { owner: "1", given: [] }),
		cwd: directory,
		env,
		table: procTable,
		sandbox: unconfined,
		onStarted,
		...rest,
	});
	onTestFinished(async () => {
		running.stop("the test is over");
		for (const { pid } of (await running.ended).leftRunning) endIfLeft(pid, place.run);
	});
	return { ...running, directory, started };
}

/** Ends only processes that carry this test's cookie, or that its result names. */
export function endIfLeft(pid: number, run: string): void {
	if (procTable.environment(pid)?.AGENTREE_AGENT?.startsWith(run) !== true) return;
	try {
		process.kill(pid, "SIGKILL");
	} catch {}
}

export async function run(
	command: string,
	changes: Partial<CommandSpec> = {},
): Promise<CommandResult & { directory: string }> {
	const running = start(command, changes);
	return { ...(await running.ended), directory: running.directory };
}

export async function timed<T>(promise: Promise<T>): Promise<[T, number]> {
	const from = performance.now();
	const value = await promise;
	return [value, performance.now() - from];
}

export const livesNot = (pid: number) => {
	const info = procTable.read(pid);
	return info === undefined || info.state === "Z";
};
