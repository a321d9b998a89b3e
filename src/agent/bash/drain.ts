/**
 * Reads a command's pipe for as long as any process holds it, also after the call has ended, so that a process left running
 * never blocks on a full pipe. The end of the pipe may come as late as that of the last `sleep 300 &`, so a call waits only
 * until the pipe is quiet.
 */

import { Socket } from "node:net";
import type { Timer } from "../../core/clock.ts";

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
