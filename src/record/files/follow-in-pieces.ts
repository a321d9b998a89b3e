/** Following of a long file of lines in pieces, so that its process does other things in between. */
import { dirname } from "node:path";
import { setImmediate, setTimeout } from "node:timers/promises";
import { linesFrom, watchDirectory } from "./follow.ts";
import { Wakes } from "./wakes.ts";

export interface PieceListener {
	/** Whole lines, each once, in order. */
	onLines(lines: readonly string[]): void;
	/** All that was in the file a moment ago has been given. */
	onEnd(): void;
}

export interface PieceOptions {
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
 * The file need not exist yet. Resolves when `signal` is aborted; rejects with what the listener throws, and with
 * AgentreeError("not_found") when the file cannot be read.
 */
export async function followInPieces(path: string, listener: PieceListener, options: PieceOptions): Promise<void> {
	const { signal, from = 0, restMs = 50, pollMs = 500 } = options;
	const wakes = new Wakes();
	const watcher = watchDirectory(dirname(path), wakes.wake);
	signal.addEventListener("abort", wakes.wake);
	try {
		for (let position = from; !signal.aborted; await wakes.next(pollMs)) {
			position = await readPieces(path, position, { listener, signal });
			if (signal.aborted) return;
			listener.onEnd();
			await setTimeout(restMs, undefined, { signal });
		}
	} catch (error) {
		if (!signal.aborted) throw error;
	} finally {
		signal.removeEventListener("abort", wakes.wake);
		watcher?.close();
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
