/** Small files that a person or an agent named: whatever is behind the name, reading it comes to an end. */
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { formatBytes } from "../../core/bytes.ts";

export interface FileBounds {
	readonly maxBytes: number;
	/** Take nothing but a regular file, so that nobody waits for the writer of a FIFO. When false, `<(command)` works. */
	readonly isRegular: boolean;
}

type BoundedText = { readonly is: "text"; readonly text: string } | { readonly is: "refused"; why: string };

/** Throws the system's error when the file cannot be opened or read. */
export function readBoundedText(path: string, { maxBytes, isRegular }: FileBounds): BoundedText {
	const file = openSync(path, constants.O_RDONLY | (isRegular ? constants.O_NONBLOCK : 0));
	try {
		const found = fstatSync(file);
		if (found.isDirectory()) return { is: "refused", why: "it is a directory" };
		if (isRegular && !found.isFile()) return { is: "refused", why: "it is not a regular file" };
		const bytes = readAtMost(file, maxBytes + 1);
		if (bytes.length > maxBytes) return { is: "refused", why: `it has more than ${formatBytes(maxBytes)}` };
		return { is: "text", text: bytes.toString("utf8").replace(/^\uFEFF/, "") }; // some editors write a BOM
	} finally {
		closeSync(file);
	}
}

const CHUNK_BYTES = 64 * 1024;

/** Reads without asking for the file's size: a pipe has none, and a file may grow. Throws the system's error. */
export function readAtMost(file: number, maxBytes: number): Buffer {
	const chunks: Buffer[] = [];
	for (let left = maxBytes; left > 0; ) {
		const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, left));
		const read = readSync(file, chunk);
		if (read === 0) break;
		chunks.push(chunk.subarray(0, read));
		left -= read;
	}
	return Buffer.concat(chunks);
}
