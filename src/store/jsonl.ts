/**
 * Reading of lines that another process may be writing, or was writing when it died. What can be read is read; what
 * cannot is skipped and said, with its line number. The file is read in pieces: memory holds one line.
 */
import { closeSync, readSync } from "node:fs";
import { basename } from "node:path";
import { AgentreeError } from "../core/errors.ts";
import { LineSplitter } from "../text/lines.ts";
import { notReadable, openRegular } from "./regular-file.ts";

const CHUNK_BYTES = 64 * 1024;

export type JsonLine = { readonly is: "value"; readonly value: unknown; readonly line: number } | Damage;
/** `what` is one line for people: `events.jsonl line 7: not valid JSON, skipped`. */
export type Damage = { readonly is: "damage"; readonly what: string; readonly line: number };

/** Line by line, counted from 1. A file that is missing or cannot be read is damage, too. */
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
		const splitter = new LineSplitter();
		for (const chunk of chunksOf(file))
			for (const text of splitter.push(chunk)) {
				line++;
				if (text !== "") yield parseLine(text, name, line);
			}
		if (splitter.restBytes > 0) yield torn(name, ++line);
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

/** A NUL is what some file systems leave after a power cut. */
function parseLine(text: string, name: string, line: number): JsonLine {
	try {
		return { is: "value", value: JSON.parse(text), line };
	} catch {
		const why = text.includes("\0") ? "contains NUL bytes" : "not valid JSON";
		return { is: "damage", what: `${name} line ${line}: ${why}, skipped`, line };
	}
}

function torn(name: string, line: number): Damage {
	return { is: "damage", what: `${name} line ${line}: the last line is torn, dropped`, line };
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
