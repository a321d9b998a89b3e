/** Copies of files that another process may be writing: nothing is copied through a link, and a line whole or not at all. */
import { chmodSync, closeSync, constants, copyFileSync, existsSync, fstatSync, openSync, readSync } from "node:fs";
import { onDisk, writeAll } from "./private-files.ts";
import { openRegular } from "./regular-file.ts";

const LINE_FEED = 0x0a;
const CHUNK_BYTES = 256 * 1024;

/** The first `most` lines, of those that are whole now; gives how many. None where there is no such file: the copy is empty. */
export function copyLines(from: string, to: string, most: number): number {
	const source = openRegular(from);
	const copy = onDisk(to, () => openSync(to, "wx", 0o600));
	try {
		return source === undefined ? 0 : copyWholeLines(source, most, (bytes) => onDisk(to, () => writeAll(copy, bytes)));
	} finally {
		closeSync(copy);
		if (source !== undefined) closeSync(source);
	}
}

function copyWholeLines(source: number, most: number, write: (bytes: Uint8Array) => void): number {
	const { size } = fstatSync(source); // what is written meanwhile is not looked at: its writer may be faster
	const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
	let lines = 0;
	let begun: Buffer[] = [];
	for (let at = 0; at < size && lines < most; ) {
		const read = chunk.subarray(0, readSync(source, chunk, 0, Math.min(CHUNK_BYTES, size - at), at));
		if (read.length === 0) break;
		at += read.length;
		let end = 0;
		for (let next = read.indexOf(LINE_FEED); next >= 0 && lines < most; next = read.indexOf(LINE_FEED, end)) {
			end = next + 1;
			lines++;
		}
		if (end > 0) {
			for (const piece of begun.splice(0)) write(piece);
			write(read.subarray(0, end));
		}
		begun = [...begun, Buffer.from(read.subarray(end))];
	}
	return lines;
}

/** The file as it is now, sharing its blocks where the file system can do that. Leaves out what is no regular file. */
export function copyRegular(from: string, to: string): void {
	const source = openRegular(from);
	if (source === undefined) return;
	try {
		const opened = `/proc/self/fd/${source}`;
		const path = existsSync(opened) ? opened : from;
		onDisk(to, () => {
			copyFileSync(path, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
			chmodSync(to, 0o600);
		});
	} finally {
		closeSync(source);
	}
}
