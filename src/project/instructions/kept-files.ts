/** Files that were read once: what a person was asked about is what agents are told, whatever becomes of the files meanwhile. */
import type { KeptFile } from "../../wire/supervise-order.ts";
import { type FileRead, type FileRule, readTextFile } from "./text-file.ts";

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
