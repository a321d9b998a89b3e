/**
 * Reading of lines that another process may be writing, or was writing when it died. What can be read is read; what
 * cannot is skipped and said, with its line number. The file is read in pieces: memory holds one line.
 */
import { closeSync, readSync } from "node:fs";
import { basename } from "node:path";
import { formatBytes } from "../../core/bytes.ts";
import { AgentreeError } from "../../core/errors.ts";
import { LineSplitter } from "../../text/width/lines.ts";
import { notReadable, openRegular } from "./regular-file.ts";

const LINE_FEED = 0x0a;
const CHUNK_BYTES = 64 * 1024;

export type JsonLine = { readonly is: "value"; readonly value: unknown; readonly line: number } | Damage;
/** `what` is one line for people: `events.jsonl line 7: not valid JSON, skipped`. */
export type Damage = { readonly is: "damage"; readonly what: string; readonly line: number };

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
	try {
		const value: unknown = JSON.parse(text);
		return typeof value === "object" && value !== null;
	} catch {
		return false;
	}
}
