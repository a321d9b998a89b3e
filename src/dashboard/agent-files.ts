/** The files of the selected agent: its transcript as it grows, and the last output of its commands. */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import type { AgentId } from "../core/agent.ts";
import type { TranscriptEntry } from "../core/transcript.ts";
import { tailStart } from "../store/file-tail.ts";
import { followLines } from "../store/follow.ts";
import { parseEntry } from "../store/read-events.ts";
import { agentDirectory, transcriptPath } from "../store/run-directory.ts";
import type { LiveCommand } from "./scene/agent-history.ts";

const TAIL_BYTES = 64 * 1024;
const MAX_HISTORY_BYTES = 8 * 1024 * 1024; // `agent show` tells the whole of a longer history

export interface AgentFiles {
	/** Calls `onTail` for each command whose output has changed since the last call of this function. */
	readTails(commands: readonly LiveCommand[], onTail: (command: number, tail: string, isCut: boolean) => void): void;
	stop(): void;
}

export interface AgentFilesListener {
	onEntries(entries: TranscriptEntry[]): void;
	onError(error: unknown): void;
}

export function followAgentFiles(runDirectory: string, agent: AgentId, listener: AgentFilesListener): AgentFiles {
	const stopping = new AbortController();
	const sizes = new Map<number, number>();
	const onLines = (lines: string[]) => {
		if (stopping.signal.aborted) return;
		listener.onEntries(lines.flatMap((line) => parseEntry(line) ?? [])); // what cannot be read `agent show` tells
	};
	const path = transcriptPath(runDirectory, agent);
	const from = tailStart(path, MAX_HISTORY_BYTES);
	followLines(path, onLines, { signal: stopping.signal, from }).catch(listener.onError);
	return {
		readTails: (commands, onTail) => {
			for (const { command, log } of commands) {
				const read = readTail(join(agentDirectory(runDirectory, agent), log), sizes.get(command) ?? 0);
				if (read === undefined) continue;
				sizes.set(command, read.size);
				onTail(command, read.tail, read.isCut);
			}
		},
		stop: () => stopping.abort(),
	};
}

/** Undefined when the file does not exist yet, or still has the size that it had at the last read. */
function readTail(path: string, knownSize: number): { tail: string; isCut: boolean; size: number } | undefined {
	let file: number;
	try {
		file = openSync(path, "r");
	} catch {
		return undefined;
	}
	try {
		const { size } = fstatSync(file);
		if (size === knownSize) return undefined;
		const from = Math.max(0, size - TAIL_BYTES);
		const bytes = Buffer.alloc(size - from);
		const read = readSync(file, bytes, 0, bytes.length, from);
		return { tail: wholeLines(bytes.subarray(0, read), from > 0), isCut: from > 0, size };
	} finally {
		closeSync(file);
	}
}

/** A text that was cut begins with its first whole line, so it never begins in the middle of a character. */
function wholeLines(bytes: Buffer, isCut: boolean): string {
	const newline = isCut ? bytes.indexOf(0x0a) : -1;
	return bytes.subarray(newline + 1).toString("utf8");
}
