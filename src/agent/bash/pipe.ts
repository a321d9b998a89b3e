/**
 * Real pipes for commands. Node makes only socket pairs, on which `echo x > /dev/stderr` fails. So a pipe is a FIFO that
 * `mkfifo` makes in a private directory, opened at both ends and unlinked at once: nothing of it stays on disk. Since
 * mkfifo is a process to start, several pipes are made at once and ahead of their use, while the model thinks.
 */
import { spawn } from "node:child_process";
import { closeSync, constants, mkdtempSync, openSync, rmdirSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { shortageOf } from "../../core/errno-advice.ts";

export interface Pipe {
	readonly is: "pipe";
	/** Non-blocking. */
	readonly readEnd: number;
	/** Blocking, as programs expect their stdout to be. */
	readonly writeEnd: number;
}

/** `reason` is told to the model. */
export type PipeOutcome = Pipe | { readonly is: "failed"; readonly reason: string };

const MADE_AT_ONCE = 4;

interface PipePool {
	ready: Pipe[];
	making: Promise<string | undefined> | undefined;
}

/** One pool for each agent's directory. An agent is a process of its own, so in it there is one pool. */
const pools = new Map<string, PipePool>();

/** Makes pipes ahead of their use when none are ready. Never rejects. */
export async function preparePipes(directory: string): Promise<void> {
	const pool = poolOf(directory);
	if (pool.ready.length === 0) await fill(pool, directory);
}

/** A pipe from the pool, which makes some when it is empty. The caller closes both ends. */
export async function takePipe(directory: string): Promise<PipeOutcome> {
	const pool = poolOf(directory);
	for (;;) {
		const pipe = pool.ready.shift();
		if (pipe !== undefined) return pipe;
		const failure = await fill(pool, directory);
		if (failure !== undefined && pool.ready.length === 0) return { is: "failed", reason: failure };
	}
}

export function closePipe(pipe: Pipe): void {
	closeSync(pipe.readEnd);
	closeSync(pipe.writeEnd);
}

function poolOf(directory: string): PipePool {
	const pool = pools.get(directory) ?? { ready: [], making: undefined };
	pools.set(directory, pool);
	return pool;
}

/** Makes pipes, or waits for those that are being made. Resolves to the reason of a failure. */
function fill(pool: PipePool, directory: string): Promise<string | undefined> {
	pool.making ??= makePipes(directory, pool.ready).finally(() => {
		pool.making = undefined;
	});
	return pool.making;
}

async function makePipes(directory: string, into: Pipe[]): Promise<string | undefined> {
	const inDirectory = (reason: string) => `no pipe for the output could be made in ${directory}: ${reason}`;
	let privateDirectory: string | undefined;
	const paths: string[] = [];
	try {
		privateDirectory = mkdtempSync(join(directory, "pipes-")); // 0700
		for (let n = 0; n < MADE_AT_ONCE; n++) paths.push(join(privateDirectory, String(n)));
		const failure = await runMkfifo(paths);
		if (failure !== undefined) return inDirectory(failure);
		for (const path of paths) into.push(openBothEnds(path));
		return undefined;
	} catch (error) {
		return shortageOf(error as NodeJS.ErrnoException) ?? inDirectory((error as Error).message);
	} finally {
		for (const path of paths) attempt(() => unlinkSync(path));
		if (privateDirectory !== undefined) attempt(() => rmdirSync(`${privateDirectory}`));
	}
}

function runMkfifo(paths: string[]): Promise<string | undefined> {
	return new Promise((resolve) => {
		const child = spawn("mkfifo", ["-m", "600", ...paths], { stdio: "ignore" });
		child.once("error", (error: NodeJS.ErrnoException) => {
			const isMissing = error.code === "ENOENT";
			resolve(isMissing ? "mkfifo (coreutils) was not found in PATH" : (shortageOf(error) ?? error.message));
		});
		child.once("exit", (code, signal) =>
			resolve(code === 0 ? undefined : `mkfifo: ${signal ?? `exit status ${code}`}`),
		);
	});
}

/** Opens the read end first, without blocking: opening the write end waits for a reader. */
function openBothEnds(path: string): Pipe {
	const readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
	try {
		return { is: "pipe", readEnd, writeEnd: openSync(path, constants.O_WRONLY) };
	} catch (error) {
		closeSync(readEnd);
		throw error;
	}
}

/** Ignores what cannot be removed. (rmSync would open the directory, for which no descriptor may be left.) */
function attempt(remove: () => void): void {
	try {
		remove();
	} catch {}
}
