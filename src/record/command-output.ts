/** A command's raw output as its file has it: its end, its pages, the whole of it, and what is added as it grows. */

import { closeSync, fstatSync, lstatSync, readSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { StreamCleaner } from "../text/safe/terminal-safe.ts";
import { readAt, readTail, type Tail } from "./files/json-lines.ts";
import { notReadable, openRegular } from "./files/regular-file.ts";

const TAIL_BYTES = 64 * 1024;

const MARK_BYTES = 400; // the line that says where a log was cut, with its reason
const CUT_MARK = "\n[agentree: cut ";

/** The most that one read gives. */
export const CHUNK_BYTES = 64 * 1024;
export const PAGE_BYTES = 64 * 1024;
/** A line that crosses the border of two pages is in the first of them up to so much. */
const MOST_OVER = 8 * 1024;
const LINE_FEED = 0x0a;
const MOST_OF_CHARACTER = 4;

export interface LogPage {
	/** Counted from 0. */
	readonly page: number;
	readonly text: string;
	/** The file goes on behind it, or has ended with its line: the page does not change any more. */
	readonly isWhole: boolean;
}

interface LogRead {
	readonly pages: readonly LogPage[];
	/** The size of the file, and the number of its last page. */
	readonly bytes: number;
	readonly last: number;
}

export interface LogAsk {
	/** The pages that are asked for, when the file's last one is known; of those that are not there none is given. */
	readonly pages: (last: number) => readonly number[];
	/** Nothing is read when the file still has this size. */
	readonly knownBytes?: number | undefined;
}

/** The output file of a command, which need not be there yet. Each method throws AgentreeError("not_found") when it cannot be read. */
export class CommandOutput {
	readonly path: string;

	constructor(path: string) {
		this.path = path;
	}

	/** The end. Undefined when there is no such file, and when it still has `knownBytes`. */
	tail(knownBytes?: number): Tail | undefined {
		return readTail(this.path, TAIL_BYTES, knownBytes);
	}

	/**
	 * When it was last written, in milliseconds since the epoch. Undefined when there is no such file, and for one that was
	 * cut, since the command may print on.
	 */
	lastWrittenAt(): number | undefined {
		return this.read((file) => {
			const { mtimeMs, size } = fstatSync(file);
			const end = readAt(file, Math.max(0, size - MARK_BYTES), MARK_BYTES);
			return end.toString("latin1").includes(CUT_MARK) ? undefined : mtimeMs;
		});
	}

	/**
	 * Pages, so that any part can be read without the rest. They end behind a line, and what is in a page never goes over to
	 * another one as the file grows. Undefined when there is no such file.
	 */
	pages({ pages, knownBytes }: LogAsk): LogRead | undefined {
		return this.read((file) => {
			const bytes = fstatSync(file).size;
			if (bytes === knownBytes) return undefined;
			const last = lastPage(file, bytes);
			const wanted = pages(last).filter((page) => page <= last);
			return { pages: wanted.map((page) => readPage(file, page, bytes)), bytes, last };
		});
	}

	/** The whole as text that is safe for a terminal, piece by piece: memory holds one. A file that is not there is an error, too. */
	text(): AsyncIterable<string> {
		const file = openRegular(this.path);
		if (file !== undefined) return cleanChunks(file);
		throw notReadable(this.path, "no such file: nothing was printed, or it could not be saved");
	}

	/** To read it as it grows. */
	growing(): GrowingFile {
		return new GrowingFile(this.path);
	}

	private read<T>(from: (file: number) => T): T | undefined {
		const file = openRegular(this.path);
		if (file === undefined) return undefined;
		try {
			return from(file);
		} finally {
			closeSync(file);
		}
	}
}

function lastPage(file: number, bytes: number): number {
	const page = Math.max(0, Math.ceil(bytes / PAGE_BYTES) - 1);
	const begin = beginOf(file, page, bytes);
	return page > 0 && (begin === undefined || begin >= bytes) ? page - 1 : page;
}

function readPage(file: number, page: number, bytes: number): LogPage {
	const from = beginOf(file, page, bytes) ?? bytes;
	const next = beginOf(file, page + 1, bytes);
	return { page, text: readAt(file, from, (next ?? bytes) - from).toString("utf8"), isWhole: next !== undefined };
}

/** Undefined while the file is too short to tell. */
function beginOf(file: number, page: number, bytes: number): number | undefined {
	if (page === 0) return 0;
	const border = page * PAGE_BYTES;
	if (bytes < border) return undefined;
	const around = readAt(file, border - 1, 1 + MOST_OVER + MOST_OF_CHARACTER);
	const lineFeed = around.subarray(0, 1 + MOST_OVER).indexOf(LINE_FEED);
	if (lineFeed >= 0) return border + lineFeed;
	let over = 1 + MOST_OVER;
	if (around.length < over + MOST_OF_CHARACTER) return undefined;
	while (((around[over] ?? 0) & 0xc0) === 0x80) over++; // never in the middle of a character
	return border - 1 + over;
}

async function* cleanChunks(file: number): AsyncGenerator<string> {
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

/**
 * A file that another process writes to, read as it grows. It need not exist yet. Where another file takes its place, as when
 * logs are rotated, the old one is read to its end first and the new one from its beginning; one that was emptied begins again.
 */
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
	 * The next bytes, whose memory the next read uses again; undefined when there are none now. Throws
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
