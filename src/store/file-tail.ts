/** The end of a file of lines, without reading the rest of it. */
import { closeSync, fstatSync, readSync } from "node:fs";
import { openRegular } from "./regular-file.ts";

const NEWLINE = 0x0a;
const CHUNK_BYTES = 64 * 1024;
const FIRST_BYTES = 256 * 1024;
const GROWTH = 8;

/** Its last line has no end: the writer died in the middle of it. False when there is no such file. */
export function isTorn(path: string): boolean {
	return withFile(path, false, (file, size) => {
		const last = Buffer.alloc(1);
		return size > 0 && readSync(file, last, 0, 1, size - 1) === 1 && last[0] !== NEWLINE;
	});
}

/** The whole lines in the last `maxBytes`, the newest first, without a torn one; none when there is no such file. */
export function lastLines(path: string, maxBytes: number): string[] {
	return withFile(path, [], (file, size) => {
		const from = Math.max(0, size - maxBytes);
		const bytes = Buffer.alloc(size - from);
		const read = bytes.subarray(0, readSync(file, bytes, 0, bytes.length, from));
		const begin = from > 0 ? read.indexOf(NEWLINE) + 1 : 0;
		const text = read.subarray(begin, Math.max(begin, read.lastIndexOf(NEWLINE))).toString("utf8");
		return text === "" ? [] : text.split("\n").reverse();
	});
}

/** The whole lines, the newest first, up to `maxBytes` before the end; read in pieces that grow, for as long as they are asked for. */
export function* newestLines(path: string, maxBytes: number): Generator<string> {
	const most = Math.min(
		maxBytes,
		withFile(path, 0, (_, size) => size),
	);
	let given = 0;
	for (let bytes = Math.min(most, FIRST_BYTES); ; bytes = Math.min(most, bytes * GROWTH)) {
		const lines = lastLines(path, bytes);
		yield* lines.slice(given);
		given = lines.length;
		if (bytes >= most) return;
	}
}

/** Where the first whole line in the last `maxBytes` begins; 0 when that is all of it. */
export function tailStart(path: string, maxBytes: number): number {
	return withFile(path, 0, (file, size) => {
		if (size <= maxBytes) return 0;
		const chunk = Buffer.alloc(CHUNK_BYTES);
		for (let at = size - maxBytes; at < size; at += chunk.length) {
			const newline = chunk.subarray(0, readSync(file, chunk, 0, chunk.length, at)).indexOf(NEWLINE);
			if (newline >= 0) return at + newline + 1;
		}
		return size;
	});
}

function withFile<T>(path: string, missing: T, act: (file: number, size: number) => T): T {
	const file = openRegular(path);
	if (file === undefined) return missing;
	try {
		return act(file, fstatSync(file).size);
	} finally {
		closeSync(file);
	}
}
