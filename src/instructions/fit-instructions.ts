/** The bound of all instructions of an agent together. The nearest to the work are kept whole for longest. Pure. */
import { Buffer } from "node:buffer";
import { formatBytes } from "../core/bytes.ts";
import { preview } from "../core/preview.ts";
import type { InstructionFile, Instructions } from "./instruction-files.ts";

export const MAX_ALL_BYTES = 64 * 1024;
const MAX_NAMES_CHARS = 600; // of the files that are left out: agents are told them

/** `last` counts before `first`, and has the room first. In each of them the later files have it before the earlier ones. */
export function fitInstructions(first: Instructions, last: Instructions): { first: Instructions; last: Instructions } {
	const fitLast = fitted(last, MAX_ALL_BYTES);
	const fitFirst = fitted(first, MAX_ALL_BYTES - sizeOf(fitLast.files));
	return { first: fitFirst, last: fitLast };
}

function fitted({ files, notices }: Instructions, room: number): Instructions {
	const kept: InstructionFile[] = [];
	const left: string[] = [];
	for (const file of files.toReversed()) {
		if (sizeOf([file, ...kept]) <= room) kept.unshift(file);
		else left.push(file.path);
	}
	const names = left.reverse().join(", ");
	const notice = `left out, since instructions have ${formatBytes(MAX_ALL_BYTES)} in all: ${preview(names, MAX_NAMES_CHARS)}`;
	return { files: kept, notices: left.length === 0 ? notices : [...notices, notice] };
}

function sizeOf(files: readonly InstructionFile[]): number {
	return files.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
}
