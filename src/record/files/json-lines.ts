/** Files of lines: all of them as JSON, or the end without reading the rest. */

import { closeSync, fstatSync, readSync } from "node:fs";
import { basename } from "node:path";
import { formatBytes } from "../../core/bytes.ts";
import { AgentreeError } from "../../core/errors.ts";
import { LineSplitter } from "../../text/line-splitter.ts";
import { notReadable, openRegular } from "./regular-file.ts";

const LINE_FEED = 0x0a;
const CHUNK_BYTES = 64 * 1024;
const FIRST_BYTES = 256 * 1024;
const GROWTH = 8;

export interface Tail {
	/** Whole lines, unless one line is longer than what is read. */
	readonly text: string;
	/** The file has more in front of `text`. */
	readonly isCut: boolean;
	/** The size of the file. */
	readonly bytes: number;
}

/** Undefined when there is no such file, and when it still has `knownBytes`. */
export function readTail(path: string, maxBytes: number, knownBytes?: number): Tail | undefined {
	return withFile(path, undefined, (file, bytes) => {
		if (bytes === knownBytes) return undefined;
		const from = Math.max(0, bytes - maxBytes);
		const read = readAt(file, from, bytes - from);
		const lineFeed = from > 0 ? read.indexOf(LINE_FEED) : -1; // never begin in the middle of a line or a character
		return { text: read.subarray(lineFeed + 1).toString("utf8"), isCut: from > 0, bytes };
	});
}

/** True when the last line of the file is not whole, since its writer died in the middle of it. False when there is no such file. */
export function isTorn(path: string): boolean {
	return withFile(path, false, (file) => restOf(file).is === "torn");
}

/** What stands behind the last line feed: nothing, the beginning of a line, or a line that lost only its line feed. */
export type Rest = { readonly is: "none" | "torn" | "whole"; readonly from: number };

export function restOf(file: number): Rest {
	const from = endOfLastLine(file);
	const length = fstatSync(file).size - from;
	if (length === 0) return { is: "none", from };
	return {
		is: length <= MAX_LINE_BYTES && isWhole(readAt(file, from, length).toString("utf8")) ? "whole" : "torn",
		from,
	};
}

/** Whether the file still goes on at `position`, up to which its lines were read: else somebody has cut or replaced it. */
export function goesOnAt(path: string, position: number): boolean {
	return withFile(path, true, (file, size) => {
		const around = readAt(file, Math.max(0, position - 1), 2); // a last line may have been read before its line feed came
		return position === 0 || position === size || (position < size && around.includes(LINE_FEED));
	});
}

/** Behind the last line feed; 0 when there is none. */
function endOfLastLine(file: number): number {
	for (let end = fstatSync(file).size; end > 0; ) {
		const from = Math.max(0, end - CHUNK_BYTES);
		const lineFeed = readAt(file, from, end - from).lastIndexOf(LINE_FEED);
		if (lineFeed >= 0) return from + lineFeed + 1;
		end = from;
	}
	return 0;
}

/**
 * The whole lines, the newest first, up to `maxBytes` before the end, without a torn one; read in pieces that grow, for as long as
 * they are asked for. None when there is no such file.
 */
export function* newestLines(path: string, maxBytes: number): Generator<string> {
	const file = openRegular(path);
	if (file === undefined) return;
	try {
		const { size } = fstatSync(file);
		const most = Math.min(maxBytes, size);
		let given = 0;
		for (let bytes = Math.min(most, FIRST_BYTES); ; bytes = Math.min(most, bytes * GROWTH)) {
			const lines = lastLines(file, size, bytes);
			yield* lines.slice(given);
			given = lines.length;
			if (bytes >= most) return;
		}
	} finally {
		closeSync(file);
	}
}

/** Those in the last `bytes`. */
function lastLines(file: number, size: number, bytes: number): string[] {
	const from = size - bytes;
	const read = readAt(file, from, bytes);
	const first = from > 0 ? read.indexOf(LINE_FEED) : -1;
	if (from > 0 && first < 0) return []; // the middle of one line
	const lines = read
		.subarray(first + 1)
		.toString("utf8")
		.split("\n");
	const rest = lines.pop() ?? "";
	return (isWhole(rest) ? [...lines, rest] : lines).reverse();
}

/** Where the first whole line in the last `maxBytes` begins; 0 when that is all of it. */
export function tailStart(path: string, maxBytes: number): number {
	return withFile(path, 0, (file, size) => {
		if (size <= maxBytes) return 0;
		for (let at = size - maxBytes; at < size; at += CHUNK_BYTES) {
			const lineFeed = readAt(file, at, CHUNK_BYTES).indexOf(LINE_FEED);
			if (lineFeed >= 0) return at + lineFeed + 1;
		}
		return size;
	});
}

/**
 * The whole lines in about `maxBytes` before `end`, which is the beginning of a line, and where the first of them begins; at
 * least one line. Undefined when there is no such file, and when nothing is before `end`.
 */
export function linesBefore(
	path: string,
	end: number,
	maxBytes: number,
): { lines: string[]; from: number } | undefined {
	return withFile(path, undefined, (file) => {
		for (let most = maxBytes; end > 0; most *= 2) {
			const start = Math.max(0, end - most);
			const read = readAt(file, start, end - start);
			const first = start === 0 ? 0 : read.indexOf(LINE_FEED) + 1;
			if (first >= read.length && start > 0) continue; // one line, which is longer
			const lines = read.subarray(first).toString("utf8").split("\n");
			return { lines: lines.filter((line) => line !== ""), from: start + first };
		}
		return undefined;
	});
}

/** Fewer bytes than `length` where the file ends. */
export function readAt(file: number, from: number, length: number): Buffer {
	const bytes = Buffer.allocUnsafe(Math.max(0, length));
	return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, from));
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

/**
 * Reading of lines that another process may be writing, or was writing when it died. What can be read is read; what
 * cannot is skipped and said, with its line number. The file is read in pieces: memory holds one line.
 */

export type JsonLine = { readonly is: "value"; readonly value: unknown; readonly line: number } | Damage;
/** `what` is one line for people: `events.jsonl line 7: not valid JSON, skipped`. */
type Damage = { readonly is: "damage"; readonly what: string; readonly line: number };

/** Line by line, counted from 1. A file that is missing or cannot be read is damage, too. */
export function* jsonLines(path: string, maxLineBytes = MAX_LINE_BYTES): Generator<JsonLine> {
	const name = basename(path);
	let file: number | undefined;
	try {
		file = openRegular(path);
		if (file === undefined) {
			yield { is: "damage", what: `${name} is missing (${path})`, line: 0 };
			return;
		}
		yield* linesIn(file, name, maxLineBytes);
	} catch (error) {
		yield { is: "damage", what: damageOf(error, path), line: 0 };
	} finally {
		if (file !== undefined) closeSync(file);
	}
}

function* linesIn(file: number, name: string, maxLineBytes: number): Generator<JsonLine> {
	let splitter = new LineSplitter();
	let line = 0;
	let isSkipping = false;
	for (const read of chunksOf(file)) {
		const chunk = isSkipping ? afterLineFeed(read) : read;
		if (chunk === undefined) continue;
		isSkipping = false;
		for (const text of splitter.push(chunk)) {
			line++;
			if (text !== "") yield parseLine(text, name, line);
		}
		if (splitter.restBytes <= maxLineBytes) continue;
		yield damaged(name, ++line, `more than ${formatBytes(maxLineBytes)}, skipped`);
		splitter = new LineSplitter();
		isSkipping = true;
	}
	if (splitter.restBytes > 0) yield parseRest(splitter.rest, name, ++line);
}

function afterLineFeed(chunk: Buffer): Buffer | undefined {
	const lineFeed = chunk.indexOf(LINE_FEED);
	return lineFeed < 0 ? undefined : chunk.subarray(lineFeed + 1);
}

/** What a reader of the lines throws does not come here: it ends the generator, it is not thrown into it. */
function damageOf(error: unknown, path: string): string {
	if (error instanceof AgentreeError) return error.message;
	const { code } = error as NodeJS.ErrnoException;
	if (code === undefined) throw error;
	return notReadable(path, code).message;
}

/** A NUL is what some file systems leave after a power cut. */
function parseLine(text: string, name: string, line: number): JsonLine {
	try {
		return { is: "value", value: JSON.parse(text), line };
	} catch {
		return damaged(name, line, `${text.includes("\0") ? "contains NUL bytes" : "not valid JSON"}, skipped`);
	}
}

/** A last line without its line feed. */
function parseRest(text: string, name: string, line: number): JsonLine {
	return isWhole(text) ? parseLine(text, name, line) : damaged(name, line, "the last line is torn, dropped");
}

function damaged(name: string, line: number, why: string): Damage {
	return { is: "damage", what: `${name} line ${line}: ${why}`, line };
}

/** Each holds until the next is asked for: one buffer serves all. */
function* chunksOf(file: number): Generator<Buffer> {
	const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
	for (;;) {
		const size = readSync(file, buffer, 0, CHUNK_BYTES, null);
		if (size === 0) return;
		yield buffer.subarray(0, size);
	}
}

/** A longer line is not read, so that a damaged file cannot fill the memory. An answer may have 64 MiB, and more as JSON. */
export const MAX_LINE_BYTES = 256 * 1024 * 1024;

/** True for a line that lost only its line feed: what is left of a torn object is never JSON. */
export function isWhole(text: string): boolean {
	if (text === "") return false; // as behind nearly every last line; JSON.parse would take long to say so
	try {
		const value: unknown = JSON.parse(text);
		return typeof value === "object" && value !== null;
	} catch {
		return false;
	}
}
