/**
 * Reading of lines that another process may be writing, or was writing when it died. What can be read is read; what
 * cannot is skipped and said, with its line number. The file is read in pieces: memory holds one line.
 */
import { closeSync, readSync } from "node:fs";
import { basename } from "node:path";
import { AgentreeError } from "../core/errors.ts";
import { notReadable, openRegular } from "./regular-file.ts";

const CHUNK_BYTES = 64 * 1024;
const NEWLINE = 0x0a;

export type JsonLine = { readonly is: "value"; readonly value: unknown; readonly line: number } | Damage;
/** `what` is one line for people: `events.jsonl line 7: not valid JSON, skipped`. */
export type Damage = { readonly is: "damage"; readonly what: string; readonly line: number };

/** A file that is missing or cannot be read is damage, too. */
export function readJsonLines(path: string): { values: unknown[]; damage: string[] } {
	const values: unknown[] = [];
	const damage: string[] = [];
	for (const line of jsonLines(path)) {
		if (line.is === "value") values.push(line.value);
		else damage.push(line.what);
	}
	return { values, damage };
}

/** As `readJsonLines`, line by line. Lines count from 1. */
export function* jsonLines(path: string): Generator<JsonLine> {
	const name = basename(path);
	let line = 0;
	let file: number | undefined;
	try {
		file = openRegular(path);
		if (file === undefined) {
			yield { is: "damage", what: `${name} is missing (${path})`, line };
			return;
		}
		for (const { bytes, isWhole } of splitLines(file)) {
			line++;
			const found = isWhole ? parseLine(bytes, name, line) : torn(name, line);
			if (found !== undefined) yield found;
		}
	} catch (error) {
		yield { is: "damage", what: damageOf(error, path), line };
	} finally {
		if (file !== undefined) closeSync(file);
	}
}

/** What a reader of the lines throws does not come here: it ends the generator, it is not thrown into it. */
function damageOf(error: unknown, path: string): string {
	if (error instanceof AgentreeError) return error.message;
	const { code } = error as NodeJS.ErrnoException;
	if (code === undefined) throw error;
	return notReadable(path, code).message;
}

/** Undefined for an empty line. A NUL is what some file systems leave after a power cut. */
function parseLine(bytes: Buffer, name: string, line: number): JsonLine | undefined {
	if (bytes.length === 0) return undefined;
	if (bytes.includes(0)) return { is: "damage", what: `${name} line ${line}: contains NUL bytes, skipped`, line };
	try {
		return { is: "value", value: JSON.parse(bytes.toString("utf8")), line };
	} catch {
		return { is: "damage", what: `${name} line ${line}: not valid JSON, skipped`, line };
	}
}

function torn(name: string, line: number): Damage {
	return { is: "damage", what: `${name} line ${line}: the last line is torn, dropped`, line };
}

/** `bytes` hold until the next line is asked for: one buffer, as large as the longest line, serves all. */
function* splitLines(file: number): Generator<{ bytes: Buffer; isWhole: boolean }> {
	let buffer = Buffer.allocUnsafe(CHUNK_BYTES);
	let from = 0; // of the line that has begun
	let to = 0; // of what has been read
	for (;;) {
		if (to === buffer.length) {
			const larger = from > 0 ? buffer : Buffer.allocUnsafe(2 * buffer.length);
			buffer.copy(larger, 0, from, to);
			[buffer, from, to] = [larger, 0, to - from];
		}
		const size = readSync(file, buffer, to, buffer.length - to, null);
		if (size === 0) break;
		const read = to;
		to += size;
		for (let at = buffer.indexOf(NEWLINE, read); at >= 0 && at < to; at = buffer.indexOf(NEWLINE, from)) {
			yield { bytes: buffer.subarray(from, at), isWhole: true };
			from = at + 1;
		}
	}
	if (from < to) yield { bytes: buffer.subarray(from, to), isWhole: false };
}
