/** Room on the disk that the end of a run's record can have when there is no other: a file that is given back piecemeal. */
import { randomFillSync } from "node:crypto";
import { closeSync, ftruncateSync, openSync } from "node:fs";
import { removeFile } from "./private-files.ts";
import { writeAll } from "./write-all.ts";

const RESERVE_BYTES = 64 * 1024;
const PIECE_BYTES = 8 * 1024;

export interface Reserve {
	/** Gives a piece back; false when only `keepBytes` are left, or nothing. */
	free(keepBytes: number): boolean;
	/** Once is enough. */
	remove(): void;
}

/** A disk that has no room for it has no reserve: whether the run can be recorded shows soon enough. */
export function createReserve(path: string): Reserve {
	let file = write(path);
	let left = RESERVE_BYTES;
	return {
		free: (keepBytes) => {
			if (file === undefined || left - PIECE_BYTES < keepBytes) return false;
			left -= PIECE_BYTES;
			ftruncateSync(file, left);
			return true;
		},
		remove: () => {
			if (file === undefined) return;
			closeSync(file);
			file = undefined;
			removeFile(path);
		},
	};
}

function write(path: string): number | undefined {
	let file: number | undefined;
	try {
		file = openSync(path, "wx", 0o600);
		writeAll(file, randomFillSync(Buffer.allocUnsafe(RESERVE_BYTES))); // of zeros some file systems keep nothing
		return file;
	} catch {
		if (file === undefined) return undefined;
		closeSync(file);
		removeFile(path);
		return undefined;
	}
}
