/** The end of a command's raw output. */
import { closeSync, fstatSync, readSync } from "node:fs";
import { join } from "node:path";
import type { AgentId } from "../core/agent.ts";
import { openRegular } from "./regular-file.ts";
import { agentDirectory } from "./run-directory.ts";

const TAIL_BYTES = 64 * 1024;

export interface LogTail {
	/** Whole lines, unless one line is longer than what is read. */
	readonly text: string;
	/** There was more before. */
	readonly isCut: boolean;
	/** Of the file. */
	readonly bytes: number;
}

/**
 * `log` as an event has it: `out/0003.log`. Undefined when there is no such file, or another name: it comes from a file,
 * and must not lead elsewhere. Throws AgentreeError("not_found") when it cannot be read.
 */
export function readLogTail(directory: string, agent: AgentId, log: string): LogTail | undefined {
	if (!/^out\/\d+\.log$/.test(log)) return undefined;
	const file = openRegular(join(agentDirectory(directory, agent), log));
	if (file === undefined) return undefined;
	try {
		const bytes = fstatSync(file).size;
		const from = Math.max(0, bytes - TAIL_BYTES);
		const chunk = Buffer.alloc(bytes - from);
		const read = chunk.subarray(0, readSync(file, chunk, 0, chunk.length, from));
		const newline = from > 0 ? read.indexOf(0x0a) : -1; // never begin in the middle of a line or a character
		return { text: read.subarray(newline + 1).toString("utf8"), isCut: from > 0, bytes };
	} finally {
		closeSync(file);
	}
}
