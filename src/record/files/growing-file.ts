/**
 * A file that another process writes to, read as it grows. It need not exist yet. Where another file takes its place, as when
 * logs are rotated, the old one is read to its end first and the new one from its beginning; one that was emptied begins anew.
 */
import { closeSync, fstatSync, lstatSync, readSync } from "node:fs";
import { openRegular } from "./regular-file.ts";

/** The most that one read gives. */
export const CHUNK_BYTES = 64 * 1024;

export class GrowingFile {
	private readonly path: string;
	private readonly chunk = Buffer.allocUnsafe(CHUNK_BYTES);
	private file: number | undefined;
	private position: number;

	/** `from`: where to begin, in bytes. */
	constructor(path: string, from = 0) {
		this.path = path;
		this.position = from;
	}

	/**
	 * The next bytes, whose memory is used anew by the next read; undefined when there are none now. Throws
	 * AgentreeError("not_found") when the file cannot be read.
	 */
	read(): Uint8Array | undefined {
		this.file ??= openRegular(this.path);
		return this.readOn() ?? this.readAnew();
	}

	/** Bytes that have not been read. */
	get unread(): number {
		this.file ??= openRegular(this.path);
		return this.file === undefined ? 0 : Math.max(0, fstatSync(this.file).size - this.position);
	}

	/** Leaves out all but the last `bytes`; gives how many were left out. */
	skip(bytes: number): number {
		const skipped = Math.max(0, this.unread - bytes);
		this.position += skipped;
		return skipped;
	}

	close(): void {
		if (this.file !== undefined) closeSync(this.file);
		this.file = undefined;
	}

	private readOn(): Uint8Array | undefined {
		if (this.file === undefined) return undefined;
		const size = readSync(this.file, this.chunk, 0, CHUNK_BYTES, this.position);
		this.position += size;
		return size === 0 ? undefined : this.chunk.subarray(0, size);
	}

	/** The file was emptied, or another one has its name. */
	private readAnew(): Uint8Array | undefined {
		if (this.file === undefined) return undefined;
		const { size, ino, dev } = fstatSync(this.file);
		const found = lstatSync(this.path, { throwIfNoEntry: false });
		const isReplaced = found !== undefined && (found.ino !== ino || found.dev !== dev);
		if (size >= this.position && !isReplaced) return undefined;
		const last = size < this.position ? undefined : this.readOn(); // written before it was replaced
		if (last !== undefined) return last;
		if (isReplaced) this.close();
		this.position = 0;
		this.file ??= openRegular(this.path);
		return this.readOn();
	}
}
