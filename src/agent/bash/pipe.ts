/**
 * Real pipes for commands. Node makes only socket pairs, on which `echo x > /dev/stderr` fails, so a pipe is a FIFO
 * that `mkfifo` made in a private directory, opened at both ends and unlinked at once: nothing of it stays on disk.
 * A process is started for it, therefore some are made in one go, and ahead of their use: while the model thinks.
 */
import { spawn } from "node:child_process";
import { closeSync, constants, mkdtempSync, openSync, rmdirSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { shortageOf } from "../../core/errno-advice.ts";

export interface Pipe {
	readonly is: "pipe";
	/** Does not block. */
	readonly readEnd: number;
	/** Blocks, as programs expect it of their stdout. */
	readonly writeEnd: number;
}
/** `reason` is told to the model. */
export type PipeOutcome = Pipe | { readonly is: "failed"; readonly reason: string };

const MADE_AT_ONCE = 4;

interface PipePool {
	ready: Pipe[];
	making: Promise<string | undefined> | undefined;
}

/** The pools by the agent's directory. An agent is one process, so a process has one. */
const pools = new Map<string, PipePool>();

/** Makes pipes ahead of their use when none are ready. Never rejects. */
export async function preparePipes(directory: string): Promise<void> {
	const pool = poolOf(directory);
	if (pool.ready.length === 0) await fill(pool, directory);
}

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

/** Resolves to the reason of a failure. While pipes are being made a further call waits for the same ones. */
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

/** The reader first, without blocking: a writer's open waits for a reader, and without one fails. */
function openBothEnds(path: string): Pipe {
	const readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
	try {
		return { is: "pipe", readEnd, writeEnd: openSync(path, constants.O_WRONLY) };
	} catch (error) {
		closeSync(readEnd);
		throw error;
	}
}

/** Not there, or already gone: it is only swept up. (rmSync would open the directory, for which there may be no file left.) */
function attempt(sweep: () => void): void {
	try {
		sweep();
	} catch {}
}
