/**
 * A command's output file in pages, so that any part of it can be read without the rest. Pages end behind a line, and what
 * is in a page never goes over to another one as the file grows.
 */
import { closeSync, fstatSync, readSync } from "node:fs";
import type { AgentId } from "../core/model/agent.ts";
import { openRegular } from "./files/regular-file.ts";
import { outputPath } from "./run-directory.ts";

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

export interface LogRead {
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

/** Undefined when there is no such file. Throws AgentreeError("not_found") when it cannot be read. */
export function readLogPages(directory: string, of: { agent: AgentId; log: string }, ask: LogAsk): LogRead | undefined {
	const file = openRegular(outputPath(directory, of.agent, of.log));
	if (file === undefined) return undefined;
	try {
		const bytes = fstatSync(file).size;
		if (bytes === ask.knownBytes) return undefined;
		const last = lastPage(file, bytes);
		const pages = ask.pages(last).flatMap((page) => (page <= last ? [readPage(file, page, bytes)] : []));
		return { pages, bytes, last };
	} finally {
		closeSync(file);
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

/** Fewer bytes than `length` where the file ends. */
function readAt(file: number, from: number, length: number): Buffer {
	const bytes = Buffer.allocUnsafe(Math.max(0, length));
	return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, from));
}
