/**
 * A file of JSON lines to which several processes append at once, and which none of them holds open. A line is one write of
 * O_APPEND, so none is lost; what a writer that died has left of one stays on a line of its own, and is skipped by readers.
 */

import { closeSync, fchmodSync, fstatSync, lstatSync, readSync, renameSync, writeSync } from "node:fs";
import { AgentreeError } from "../core/errors.ts";
import { ifThere } from "../core/if-there.ts";
import { redactedJson } from "../text/safe/redact.ts";
import { readTail } from "./files/json-lines.ts";
import { notWritable, onDisk, openToAppend } from "./files/private-files.ts";

const LINE_FEED = 0x0a;

/** Throws AgentreeError("not_writable"). */
export function appendShared(path: string, value: object): void {
	const file = openToAppend(path);
	try {
		onDisk(path, () => fchmodSync(file, 0o600));
		const line = Buffer.from(`${endsLine(file) ? "" : "\n"}${redactedJson(value)}\n`);
		if (onDisk(path, () => writeSync(file, line)) < line.length)
			throw notWritable(path, "only part of a line could be written; is the disk full?");
	} finally {
		closeSync(file);
	}
}

function endsLine(file: number): boolean {
	const { size } = fstatSync(file);
	const last = Buffer.alloc(1);
	return size === 0 || readSync(file, last, 0, 1, size - 1) === 0 || last[0] === LINE_FEED;
}

/** The last lines of the file, the oldest first, without what is damaged; none where it cannot be read. */
export function readShared(path: string, mostBytes: number): unknown[] {
	return readTailOf(path, mostBytes)
		.split("\n")
		.flatMap((line) => {
			return ifThere(() => (line === "" ? [] : [JSON.parse(line) as unknown])) ?? [];
		});
}

function readTailOf(path: string, mostBytes: number): string {
	try {
		return readTail(path, mostBytes)?.text ?? "";
	} catch (error) {
		if (error instanceof AgentreeError) return "";
		throw error;
	}
}

/** A file that has become too large is put aside, under a name with `.old`, where it replaces the one that was put aside before. */
export function rotateShared(path: string, mostBytes: number): void {
	try {
		if ((lstatSync(path, { throwIfNoEntry: false })?.size ?? 0) > mostBytes) renameSync(path, oldName(path));
	} catch {} // another process was faster, or the disk cannot be written: the file is only longer than it should be
}

export function oldName(path: string): string {
	return `${path}.old`;
}
