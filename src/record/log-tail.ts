/** The end of a command's raw output. */
import { closeSync, fstatSync, readSync } from "node:fs";
import type { AgentId } from "../core/model/agent.ts";
import { readTail, type Tail } from "./files/file-tail.ts";
import { openRegular } from "./files/regular-file.ts";
import { outputPath } from "./run-directory.ts";

const TAIL_BYTES = 64 * 1024;

/**
 * `log` as an event has it, whose schema lets no name lead elsewhere: `out/0003.log`. Undefined when there is no such file,
 * and when it still has `knownBytes`. Throws AgentreeError("not_found") when it cannot be read.
 */
export function readLogTail(directory: string, agent: AgentId, log: string, knownBytes?: number): Tail | undefined {
	return readTail(outputPath(directory, agent, log), TAIL_BYTES, knownBytes);
}

const MARK_BYTES = 400; // the line that says where a log was cut, with its reason
const CUT_MARK = "\n[agentree: cut ";

/**
 * When the output was last written to its file, in milliseconds since the epoch. Undefined when there is no such file, and
 * for one that was cut, since the command may print on. Throws AgentreeError("not_found") when it cannot be read.
 */
export function lastWrittenAt(directory: string, agent: AgentId, log: string): number | undefined {
	const file = openRegular(outputPath(directory, agent, log));
	if (file === undefined) return undefined;
	try {
		const { mtimeMs, size } = fstatSync(file);
		const end = Buffer.alloc(MARK_BYTES);
		const bytes = readSync(file, end, 0, MARK_BYTES, Math.max(0, size - MARK_BYTES));
		return end.toString("latin1", 0, bytes).includes(CUT_MARK) ? undefined : mtimeMs;
	} finally {
		closeSync(file);
	}
}
