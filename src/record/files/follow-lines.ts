/** Following of a file of lines that another process appends to. Only whole lines are given, each once, in order. */
import { closeSync, type FSWatcher, fstatSync, readSync, watch } from "node:fs";
import { dirname } from "node:path";
import { setImmediate, setTimeout } from "node:timers/promises";
import { formatBytes } from "../../core/bytes.ts";
import { LineSplitter } from "../../text/line-splitter.ts";
import { isWhole, MAX_LINE_BYTES } from "./json-lines.ts";
import { notReadable, openRegular } from "./regular-file.ts";

const CHUNK_BYTES = 64 * 1024;

interface FollowOptions {
	/** Ends it, after everything that is in the file by then has been given. */
	readonly signal: AbortSignal;
	/** Where to begin, in bytes; the beginning of a line. */
	readonly from?: number;
	/** How often to look even when the system reports no change: some file systems never do. */
	readonly pollMs?: number;
}

/**
 * The file need not exist yet. Resolves when `signal` is aborted; rejects with what `onLines` throws, and with
 * AgentreeError("not_found") when the file cannot be read.
 */
export async function followLines(
	path: string,
	onLines: (lines: string[]) => void,
	{ signal, from = 0, pollMs = 500 }: FollowOptions,
): Promise<void> {
	const changes = new Changes(dirname(path), signal);
	try {
		for (let position = from; ; await changes.next(pollMs)) {
			const isLast = signal.aborted;
			position = readLinesFrom(path, position, onLines);
			if (isLast) return;
		}
	} finally {
		changes.close();
	}
}

/**
 * Gives the whole lines after `position`, but for empty ones; returns where the last of them ends. A torn line is read
 * again when it has become whole, so a writer may take it back meanwhile.
 */
export function readLinesFrom(path: string, position: number, onLines: (lines: string[]) => void): number {
	const pieces = linesFrom(path, position);
	try {
		for (let next = pieces.next(); ; next = pieces.next()) {
			if (next.done === true) return next.value;
			onLines(next.value);
		}
	} finally {
		pieces.return(position); // closes the file when `onLines` has thrown
	}
}

/** As `readLinesFrom`, one piece of the file after the other, as they are asked for. */
export function* linesFrom(path: string, position: number): Generator<string[], number> {
	const file = openRegular(path);
	if (file === undefined) return position;
	try {
		const splitter = new LineSplitter();
		const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
		for (let at = Math.min(position, fstatSync(file).size); ; ) {
			const size = readSync(file, chunk, 0, CHUNK_BYTES, at);
			if (size === 0) {
				// A last line that has no line feed yet is given when it is whole; the line feed alone is then an empty line.
				if (splitter.restBytes === 0 || !isWhole(splitter.rest)) return at - splitter.restBytes;
				yield [splitter.rest];
				return at;
			}
			at += size;
			const lines = [...splitter.push(chunk.subarray(0, size))].filter((line) => line !== "");
			if (lines.length > 0) yield lines;
			if (splitter.restBytes > MAX_LINE_BYTES)
				throw notReadable(path, `a line has more than ${formatBytes(MAX_LINE_BYTES)}`);
		}
	} finally {
		closeSync(file);
	}
}

interface PieceListener {
	/** Whole lines, each once, in order. */
	onLines(lines: readonly string[]): void;
	/** All that was in the file a moment ago has been given. */
	onEnd(): void;
}

interface PieceOptions {
	/** Ends it at once. */
	readonly signal: AbortSignal;
	/** Where to begin, in bytes; the beginning of a line. */
	readonly from?: number;
	/** So long it rests before it looks again, however fast the file grows. */
	readonly restMs?: number;
	/** How often to look even when the system reports no change: some file systems never do. */
	readonly pollMs?: number;
}

/**
 * Follows a long file of lines in pieces, so that this process does other things in between. The file need not exist yet. Resolves when
 * `signal` is aborted; rejects with what the listener throws, and with AgentreeError("not_found") when the file cannot be read.
 */
export async function followInPieces(path: string, listener: PieceListener, options: PieceOptions): Promise<void> {
	const { signal, from = 0, restMs = 50, pollMs = 500 } = options;
	const changes = new Changes(dirname(path), signal);
	try {
		for (let position = from; !signal.aborted; await changes.next(pollMs)) {
			position = await readPieces(path, position, { listener, signal });
			if (signal.aborted) return;
			listener.onEnd();
			await setTimeout(restMs, undefined, { signal });
		}
	} catch (error) {
		if (!signal.aborted) throw error;
	} finally {
		changes.close();
	}
}

async function readPieces(
	path: string,
	position: number,
	{ listener, signal }: { listener: PieceListener; signal: AbortSignal },
): Promise<number> {
	const pieces = linesFrom(path, position);
	try {
		for (let next = pieces.next(); !signal.aborted; next = pieces.next()) {
			if (next.done === true) return next.value;
			listener.onLines(next.value);
			await setImmediate();
		}
		return position;
	} finally {
		pieces.return(position); // closes the file
	}
}

/** Changes in a directory, and the end that a signal says, without missing one that happens while nobody waits. */
class Changes {
	private readonly wakes = new Wakes();
	private readonly watcher: FSWatcher | undefined;
	private readonly signal: AbortSignal;

	constructor(directory: string, signal: AbortSignal) {
		this.signal = signal;
		this.watcher = watchDirectory(directory, this.wakes.wake);
		signal.addEventListener("abort", this.wakes.wake);
	}

	/** Resolves at the next of them, and after `mostMs` in any case. */
	next(mostMs: number): Promise<void> {
		return this.wakes.next(mostMs);
	}

	close(): void {
		this.signal.removeEventListener("abort", this.wakes.wake);
		this.watcher?.close();
	}
}

/** The directory, not the file, which may not exist yet. Undefined where watching is not possible: then only the poll works. */
export function watchDirectory(directory: string, onChange: () => void): FSWatcher | undefined {
	try {
		const watcher = watch(directory, onChange);
		watcher.on("error", () => watcher.close()); // the directory is gone; the poll goes on
		return watcher;
	} catch {
		return undefined;
	}
}

/** Waits for whichever of several things happens first, without missing one that happens meanwhile. */
export class Wakes {
	private isAwake = false;
	private waiting: AbortController | undefined;

	readonly wake = (): void => {
		this.isAwake = true;
		this.waiting?.abort();
	};

	/** Resolves when `wake` was called since it resolved last, and after `mostMs` in any case. */
	async next(mostMs: number): Promise<void> {
		if (!this.isAwake) {
			this.waiting = new AbortController();
			await setTimeout(mostMs, undefined, { signal: this.waiting.signal }).catch(() => {});
			this.waiting = undefined;
		}
		this.isAwake = false;
	}
}
