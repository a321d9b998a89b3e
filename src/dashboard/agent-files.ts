/** The files of the selected agent: its transcript as it grows, and the last output of its commands. */
import type { AgentId } from "../core/agent.ts";
import { AgentreeError } from "../core/errors.ts";
import type { TranscriptEntry } from "../core/transcript.ts";
import { type Tail, tailStart } from "../store/file-tail.ts";
import { followLines } from "../store/follow.ts";
import { readLogTail } from "../store/log-tail.ts";
import { parseEntry } from "../store/read-events.ts";
import { transcriptPath } from "../store/run-directory.ts";
import type { LiveCommand } from "./scene/agent-history.ts";

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
				const tail = tailOf(runDirectory, agent, log, sizes.get(command) ?? 0);
				if (tail === undefined) continue;
				sizes.set(command, tail.bytes);
				onTail(command, tail.text, tail.isCut);
			}
		},
		stop: () => stopping.abort(),
	};
}

/** Undefined when the file does not exist yet, cannot be read, or still has the size that it had at the last read. */
function tailOf(directory: string, agent: AgentId, log: string, knownBytes: number): Tail | undefined {
	try {
		return readLogTail(directory, agent, log, knownBytes);
	} catch (error) {
		if (error instanceof AgentreeError) return undefined;
		throw error;
	}
}
