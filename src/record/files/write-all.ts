import { writeSync } from "node:fs";

/** A write may take only a part. */
export function writeAll(file: number, bytes: Uint8Array): void {
	for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
}
