/** Files that were read once: what a person was asked about is what agents are told, whatever becomes of the files meanwhile. */
import type { KeptFile } from "../protocol/supervise-order.ts";
import { type FileRead, type FileRule, readTextFile } from "./text-file.ts";

const MAX_KEPT = 2_000; // files of at most 32 KiB each

export class KeptFiles {
	private readonly reads = new Map<string, FileRead>();

	/** `kept`: read by another process before. */
	constructor(kept: readonly KeptFile[] = []) {
		for (const file of kept) this.reads.set(file.path, { is: "text", file });
	}

	/** Reads the file unless it was read before. */
	read(path: string, rule: FileRule): FileRead {
		const before = this.reads.get(path);
		if (before !== undefined) return before;
		const read = readTextFile(path, rule);
		if (this.reads.size < MAX_KEPT) this.reads.set(path, read);
		return read;
	}

	/** All that were read and have a text. */
	all(): KeptFile[] {
		return [...this.reads.values()].flatMap((read) => (read.is === "text" ? [read.file] : []));
	}
}
