/** An agent's newest answer, without reading the rest of its transcript. */

import { AgentreeError } from "../core/errors.ts";
import type { AgentId } from "../core/model/agent.ts";
import { textOf } from "../core/model/message.ts";
import type { AssistantEntry } from "../core/model/transcript.ts";
import { newestLines } from "./files/file-tail.ts";
import { parseEntry } from "./read-events.ts";
import { transcriptPath } from "./run-directory.ts";

const MAX_BYTES = 32 * 1024 * 1024; // how much of a transcript's end is read

/** The agent's newest text in its transcript; empty when there is none, or the transcript cannot be read. */
export function lastTextOf(directory: string, agent: AgentId): string {
	return lastOf(directory, agent, (entry) => textOf(entry.content).trim() || undefined) ?? "";
}

/** The agent's newest answer; undefined when there is none, or the transcript cannot be read. */
export function lastAnswerOf(directory: string, agent: AgentId): AssistantEntry | undefined {
	return lastOf(directory, agent, (entry) => entry);
}

function lastOf<T>(directory: string, agent: AgentId, from: (entry: AssistantEntry) => T | undefined): T | undefined {
	try {
		for (const line of newestLines(transcriptPath(directory, agent), MAX_BYTES)) {
			const entry = parseEntry(line);
			const found = entry?.role === "assistant" ? from(entry) : undefined;
			if (found !== undefined) return found;
		}
	} catch (error) {
		if (!(error instanceof AgentreeError)) throw error; // a bug, and not a transcript that cannot be read
	}
	return undefined;
}
