/** The whole of a command's output as text that is safe for a terminal, piece by piece: memory holds one of them. */
import { closeSync, readSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { StreamCleaner } from "../text/safe/stream-cleaner.ts";
import { notReadable, openRegular } from "./files/regular-file.ts";

const CHUNK_BYTES = 64 * 1024;

/** Throws AgentreeError("not_found") at once when the file is not there or cannot be read. */
export function cleanChunks(path: string): AsyncIterable<string> {
	const file = openRegular(path);
	if (file === undefined)
		throw notReadable(path, "there is no such file: nothing was printed, or it could not be kept");
	return chunksOf(file);
}

async function* chunksOf(file: number): AsyncGenerator<string> {
	const cleaner = new StreamCleaner();
	const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
	try {
		for (let size = readSync(file, chunk); size > 0; size = readSync(file, chunk)) {
			yield cleaner.push(chunk.subarray(0, size));
			await setImmediate(); // others have something to do, too
		}
		yield cleaner.end();
	} finally {
		closeSync(file);
	}
}
