/** Files that were read once: what a person was asked about is what agents are told, whatever becomes of the files meanwhile. */

import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { closeSync, fstatSync, realpathSync, type Stats, statSync } from "node:fs";
import { dirname, relative } from "node:path";
import { isAtOrBelow } from "../../core/machine/paths.ts";
import { readAtMost } from "../../models/user-files/bounded-file.ts";
import { openRegularWithin } from "../../processes/open-within.ts";
import { stripControl } from "../../text/safe/terminal-safe.ts";
import type { KeptFile } from "../../wire/supervise-order.ts";

const MAX_KEPT = 1_000; // files of at most 32 KiB each; of more a run reads some twice
/** For one directory. A project of somebody else's may have any number of files. */
const MAX_FILES = 500;

/** Reads files. */
export interface Reads {
	read(path: string, rule: FileRule): FileRead;
	/** No more files are read: there were too many. */
	readonly isOver: boolean;
}

export class KeptFiles {
	private readonly reads = new Map<string, FileRead>();

	/** `kept`: read by another process before. */
	constructor(kept: readonly KeptFile[] = []) {
		for (const file of kept) this.reads.set(file.path, { is: "text", file });
	}

	/** Reads what there is for one directory; a file that was read before is not read again. */
	forDirectory(): Reads {
		let left = MAX_FILES;
		return {
			read: (path, rule) => {
				if (left === 0) return { is: "refused", why: "there are too many files" };
				const read = this.reads.get(path) ?? readTextFile(path, rule);
				if (read.is === "text") left--;
				if (this.reads.size < MAX_KEPT) this.reads.set(path, read);
				return read;
			},
			get isOver() {
				return left === 0;
			},
		};
	}

	/** All that were read and have a text. */
	all(): KeptFile[] {
		return [...this.reads.values()].flatMap((read) => (read.is === "text" ? [read.file] : []));
	}
}

/**
 * Reading of a file that comes with a project, whatever is behind its name: a FIFO, a device, a link out of the project, ten
 * megabytes, bytes that are no text. Nobody waits, no link leads out, and of a long file the beginning is taken.
 */

export const MAX_FILE_BYTES = 32 * 1024;

type FileRead =
	| { readonly is: "text"; readonly file: KeptFile }
	| { readonly is: "missing" }
	| { readonly is: "refused"; readonly why: string };

/** What a file has to be so that it is read. */
export interface FileRule {
	/** It lies in one of these directories, which are without links; undefined: anywhere. */
	readonly within?: readonly string[];
	/** It belongs to this user, or to root. */
	readonly owner?: number;
}

const MISSING: FileRead = { is: "missing" };

export function readTextFile(path: string, rule: FileRule): FileRead {
	try {
		const found = statSync(path, { throwIfNoEntry: false });
		if (found === undefined) return MISSING;
		if (!found.isFile()) return refused(found.isDirectory() ? "it is a directory" : "it is not a regular file");
		const real = realpathSync(path);
		if (rule.within?.some((directory) => isAtOrBelow(real, directory)) === false)
			return refused(`it is a link that leads to ${real}`);
		return readReal(path, real, rule);
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		return code === "ENOENT" || code === "ENOTDIR" ? MISSING : refused(code ?? String(error));
	}
}

/** Opens what the path without links names, with no link followed: a link that was put there meanwhile leads nowhere. */
function readReal(path: string, real: string, { within = [], owner }: FileRule): FileRead {
	const root = within.find((directory) => isAtOrBelow(real, directory)) ?? dirname(real);
	const file = openRegularWithin(root, relative(root, real));
	if (file === undefined) return refused("it is not a regular file");
	try {
		const found = fstatSync(file);
		const why = owner === undefined ? undefined : whyNotOwn(found, owner);
		return why === undefined ? textOf(path, readAtMost(file, MAX_FILE_BYTES + 1), found.size) : refused(why);
	} finally {
		closeSync(file);
	}
}

function whyNotOwn({ uid, mode }: Stats, owner: number): string | undefined {
	if (uid !== owner && uid !== 0) return `it belongs to user ${uid}, not to you (${owner})`;
	return (mode & 0o002) === 0 ? undefined : "it is world-writable";
}

function textOf(path: string, bytes: Buffer, size: number): FileRead {
	const isCut = bytes.length > MAX_FILE_BYTES;
	const used = isCut ? bytes.subarray(0, wholeCharacters(bytes, MAX_FILE_BYTES)) : bytes;
	if (used.includes(0)) return refused("it is not text: it contains NUL bytes");
	const text = stripControl(used.toString("utf8").replace(/^\ufeff/, ""));
	const digest = createHash("sha256").update(used).digest("hex");
	const isDamaged = !isUtf8(used);
	return {
		is: "text",
		file: {
			...{ path, text, digest, bytes: Math.max(size, used.length) },
			...(isCut && { isCut: true }),
			...(isDamaged && { isDamaged: true }),
		},
	};
}

/** The number of bytes, at most `most`, behind which no character of UTF-8 goes on. */
function wholeCharacters(bytes: Buffer, most: number): number {
	let end = most;
	while (end > most - 4 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
	return end;
}

function refused(why: string): FileRead {
	return { is: "refused", why };
}
