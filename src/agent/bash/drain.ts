/**
 * Reads a command's pipe for as long as anything holds it, also after the call has ended: a process that was left
 * running never blocks on a full pipe. Waiting for the end of the pipe would wait for the last `sleep 300 &`, so a call
 * waits only until it is quiet.
 */

import { Socket } from "node:net";
import type { Timer } from "../../core/clock.ts";

export interface Drain {
	readonly hasEnded: Promise<void>;
	readonly isOver: boolean;
	readonly bytes: number;
	/** From now on it keeps no event loop alive. */
	release(): void;
}

const PIPE_BYTES = 64 * 1024; // what a pipe holds, so what one read gives at most

/** `onChunk` gets a buffer that is used again: it copies what it keeps. */
export function drainPipe(readEnd: number, onChunk: (chunk: Uint8Array) => void, onEnd: () => void): Drain {
	const buffer = Buffer.allocUnsafeSlow(PIPE_BYTES);
	let bytes = 0;
	let isOver = false;
	const callback = (count: number) => {
		bytes += count;
		onChunk(buffer.subarray(0, count));
		return true;
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
	};
}

const QUIET_MS = 100;
const MAX_DRAIN_MS = 2_000;

/** Resolves at the end of the pipe; or once it was quiet and `isBusy` says that nothing will print at once; at most after 2 s. */
export async function settle(drain: Drain, clock: Timer, isBusy: () => boolean): Promise<void> {
	const start = clock.elapsed();
	let bytes = drain.bytes;
	while (!drain.isOver) {
		const leftMs = start + MAX_DRAIN_MS - clock.elapsed();
		if (leftMs <= 0) return;
		await endsWithin(drain, clock, Math.min(QUIET_MS, leftMs));
		if (drain.isOver) return;
		await readWhatIsThere();
		const wasQuiet = drain.bytes === bytes;
		bytes = drain.bytes;
		if (!wasQuiet || isBusy()) continue;
		await readWhatIsThere(); // one that was at work may have printed and ended while isBusy looked
		if (drain.bytes === bytes) return;
	}
}

/** One turn of the event loop: timers, then reading, then immediates. */
function readWhatIsThere(): Promise<void> {
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
