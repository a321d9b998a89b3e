/**
 * Real pipes for commands: on a socket pair, which is what Node makes, `echo x > /dev/stderr` fails. A pipe is a FIFO that is
 * opened at both ends and unlinked when a command takes it. The supervisor keeps some in stock and gives a joining agent a
 * few; an agent that has used them up makes more, several at once and ahead of their use, while the model thinks.
 */

import { closeSync, constants, existsSync, fstatSync, mkdirSync, openSync, unlinkSync } from "node:fs";
import { Socket } from "node:net";
import { dirname, join } from "node:path";
import type { Timer } from "../../core/clock.ts";
import { AgentreeError } from "../../core/errors.ts";
import { type FifoFailure, fifoFailure, makeFifos } from "../../processes/fifo.ts";
import { prepareDirectory } from "../../project/config/user-directories.ts";

export interface Pipe {
	readonly is: "pipe";
	/** Non-blocking. */
	readonly readEnd: number;
	/** Blocking, as programs expect their stdout to be. */
	readonly writeEnd: number;
}

/** `reason` is told to the model. */
export type PipeOutcome = Pipe | { readonly is: "failed"; readonly reason: string };

export interface Pipes {
	/** Makes pipes ahead of their use when none are ready. Never rejects. */
	prepare(): Promise<void>;
	/** The caller closes both ends. Never rejects. */
	take(): Promise<PipeOutcome>;
	/** Removes those that no command has taken. */
	discard(): void;
}

const MADE_AT_ONCE = 8; // or as many as commands wait for
const MOST_GONE = 32; // of one taking: then something removes them as soon as they are made

interface PipePlaces {
	/** Begins the names of the pipes that are made here. */
	readonly owner: string;
	/** Names of pipes that are in the directory already. */
	readonly given: readonly string[];
	/** Where pipes are made when the directory is gone for good: a logout has removed XDG_RUNTIME_DIR. */
	readonly spare?: string;
}

export function createPipes(directory: string, { owner, given, spare }: PipePlaces): Pipes {
	const ready = given.map((name) => join(directory, name));
	let made = 0;
	let waiting = 0;
	let making: Promise<FifoFailure | undefined> | undefined;
	const make = async () => {
		const length = Math.max(MADE_AT_ONCE, waiting);
		const names = Array.from({ length }, () => `${owner}-${++made}`);
		let first: FifoFailure | undefined;
		for (const place of [directory, ...(spare === undefined ? [] : [spare])]) {
			const paths = names.map((name) => join(place, name));
			const failure = await makeIn(place, paths);
			first ??= failure;
			if (failure === undefined) ready.push(...paths);
			if (failure === undefined || failure.isShortage) return failure;
		}
		return first;
	};
	const makeMore = () => {
		making ??= make().finally(() => {
			making = undefined;
		});
		return making;
	};
	const take = async () => {
		for (let gone = 0; gone < MOST_GONE; ) {
			const path = ready.shift();
			const outcome = path === undefined ? undefined : openAndUnlink(path);
			if (outcome !== undefined) return outcome;
			if (path !== undefined) gone += 1;
			const failure = path === undefined ? await makeMore() : undefined;
			if (failure !== undefined && ready.length === 0) return failed(directory, failure);
		}
		return failed(directory, { reason: "they are gone as soon as they are made", isShortage: false });
	};
	return {
		prepare: async () => {
			if (ready.length === 0) await makeMore();
		},
		take: () => {
			waiting += 1;
			return take().finally(() => {
				waiting -= 1;
			});
		},
		discard: () => {
			for (const path of ready.splice(0)) attempt(() => unlinkSync(path));
		},
	};
}

export function closePipe(pipe: Pipe): void {
	closeSync(pipe.readEnd);
	closeSync(pipe.writeEnd);
}

async function makeIn(directory: string, paths: readonly string[]): Promise<FifoFailure | undefined> {
	try {
		if (!existsSync(directory)) {
			prepareDirectory(dirname(directory), process.getuid?.() ?? 0); // as the supervisor does that binds its socket there again
			mkdirSync(directory, { mode: 0o700 });
		}
		return await makeFifos(paths);
	} catch (error) {
		if (error instanceof AgentreeError) return { reason: error.message, isShortage: false };
		return fifoFailure(error as NodeJS.ErrnoException);
	}
}

function failed(directory: string, { reason, isShortage }: FifoFailure): PipeOutcome {
	return {
		is: "failed",
		reason: isShortage ? reason : `no pipe for the output could be made in ${directory}: ${reason}`,
	};
}

/** Undefined when the pipe is not there any more, or something else is in its place. */
function openAndUnlink(path: string): PipeOutcome | undefined {
	try {
		return openBothEnds(path);
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		if (code === "ENOENT" || code === "ENOTDIR" || code === "ELOOP" || code === "ENXIO") return undefined;
		return failed(dirname(path), fifoFailure(error as NodeJS.ErrnoException));
	} finally {
		attempt(() => unlinkSync(path));
	}
}

/**
 * Opens the read end first, without blocking: opening the write end waits for a reader. That one is opened through the first,
 * where the system can, for nobody can have put another pipe in its place there.
 */
function openBothEnds(path: string): Pipe | undefined {
	const { O_RDONLY, O_WRONLY, O_NONBLOCK, O_NOFOLLOW } = constants;
	const readEnd = openSync(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
	try {
		if (!fstatSync(readEnd).isFIFO()) {
			closeSync(readEnd);
			return undefined;
		}
		const own = `/proc/self/fd/${readEnd}`;
		return { is: "pipe", readEnd, writeEnd: openSync(existsSync(own) ? own : path, O_WRONLY) };
	} catch (error) {
		closeSync(readEnd);
		throw error;
	}
}

/** Ignores what cannot be removed. */
function attempt(remove: () => void): void {
	try {
		remove();
	} catch {}
}

/**
 * Reads a command's pipe for as long as any process holds it, even after the call has ended, so that a process left running
 * never blocks on a full pipe. The end of the pipe may come as late as that of the last `sleep 300 &`, so a call waits only
 * until the pipe is quiet.
 */

export interface Drain {
	/** Resolves at the end of the pipe. */
	readonly hasEnded: Promise<void>;
	readonly isOver: boolean;
	/** Read so far. */
	readonly bytes: number;
	/** Nothing is read now, since what was read has not been taken. */
	readonly isHeld: boolean;
	/** From now on the drain does not keep the event loop alive. */
	release(): void;
}

const PIPE_BYTES = 64 * 1024; // the size of a pipe, so the most that one read gives

/**
 * Reads until the end of the pipe, then closes it. `onChunk` gets a buffer that is reused: it has to copy what it keeps. Where it gives
 * a promise, nothing is read until that is resolved.
 */
export function drainPipe(
	readEnd: number,
	onChunk: (chunk: Uint8Array) => Promise<unknown> | undefined,
	onEnd: () => void,
): Drain {
	const buffer = Buffer.allocUnsafeSlow(PIPE_BYTES);
	let bytes = 0;
	let isOver = false;
	let isHeld = false;
	const callback = (count: number) => {
		bytes += count;
		const taken = onChunk(buffer.subarray(0, count));
		if (taken === undefined) return true;
		isHeld = true;
		void taken.then(() => {
			isHeld = false;
			socket.resume();
		});
		return false;
	};
	const options = { fd: readEnd, readable: true, writable: false, onread: { buffer, callback } };
	const socket = new Socket(options);
	const hasEnded = new Promise<void>((resolve) => {
		socket.on("error", () => {}); // "close" follows
		socket.on("close", () => {
			isOver = true;
			onEnd();
			resolve();
		});
	});
	socket.resume();
	return {
		hasEnded,
		release: () => void socket.unref(),
		get isOver() {
			return isOver;
		},
		get bytes() {
			return bytes;
		},
		get isHeld() {
			return isHeld;
		},
	};
}

const QUIET_MS = 100;
const MAX_DRAIN_MS = 2_000;

/**
 * Resolves at the end of the pipe, or when it was quiet for 100 ms and `isBusy` says that no process is about to print; after
 * 2 s in any case, unless what was read is not taken.
 */
export async function settle(drain: Drain, clock: Timer, isBusy: () => boolean): Promise<void> {
	let start = clock.elapsed();
	let bytes = drain.bytes;
	while (!drain.isOver) {
		if (drain.isHeld) start = clock.elapsed(); // the time of who takes it does not count
		const leftMs = start + MAX_DRAIN_MS - clock.elapsed();
		if (leftMs <= 0) return;
		await endsWithin(drain, clock, Math.min(QUIET_MS, leftMs));
		if (drain.isOver) return;
		await readPending();
		const wasQuiet = drain.bytes === bytes;
		bytes = drain.bytes;
		if (!wasQuiet || drain.isHeld || isBusy()) continue;
		await readPending(); // a process at work may have printed and ended while isBusy looked
		if (drain.bytes === bytes) return;
	}
}

/** Lets pending output be read: one turn of the event loop is timers, then reading, then immediates. */
function readPending(): Promise<void> {
	return new Promise((resolve) => void setImmediate(resolve));
}

function endsWithin(drain: Drain, clock: Timer, ms: number): Promise<void> {
	return new Promise((resolve) => {
		const cancel = clock.after(ms, resolve);
		void drain.hasEnded.then(() => {
			cancel();
			resolve();
		});
	});
}
