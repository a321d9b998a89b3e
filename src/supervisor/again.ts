/** An agent that goes on: what its files say of it, and what it is told about the time before. */
import { existsSync } from "node:fs";
import { type AgentId, type Ending, isOver, parentOf } from "../core/agent.ts";
import { AgentreeError } from "../core/errors.ts";
import { describeEnding } from "../core/format.ts";
import { textOf } from "../core/model.ts";
import { agentsInOrder, type RunState } from "../core/run-state.ts";
import type { AgentFile, AssistantEntry } from "../core/transcript.ts";
import type { ChildBefore, Resumed } from "../protocol/messages.ts";
import { isTorn, lastLines } from "../store/file-tail.ts";
import { asEntry } from "../store/read-events.ts";
import { readAgentFile } from "../store/read-run.ts";
import { transcriptPath } from "../store/run-directory.ts";

const TAIL_BYTES = 256 * 1024;
const MAX_WORDS = 4_000; // characters of each child

export interface AgainFacts {
	/** The run's directory. */
	directory: string;
	run: RunState;
}

/**
 * agent.json without its end, with the model and the limits that hold now. `fallback` where it cannot be read, which
 * `damage` then says.
 */
export function fileAgain(
	fallback: AgentFile,
	{ directory, run }: AgainFacts,
): { file: AgentFile; damage: string | undefined } {
	const { agent: id } = fallback;
	const agent = run.agents[id];
	const now = agent === undefined ? {} : { model: agent.model, limits: agent.limits };
	try {
		const { ended_at: _, ending: __, turns, commands, usage, cost_usd, ...file } = readAgentFile(directory, id);
		return { file: { ...file, ...now }, damage: undefined };
	} catch (error) {
		if (!(error instanceof AgentreeError)) throw error;
		return { file: { ...fallback, ...now }, damage: `${error.message}; written anew` };
	}
}

/** To be asked before anything is appended to its transcript. */
export function resumedOf(
	id: AgentId,
	{ was, message, damage }: { was: Ending; message: string | undefined; damage: readonly (string | undefined)[] },
	{ directory, run }: AgainFacts,
): Resumed {
	const path = transcriptPath(directory, id);
	const missing = existsSync(path)
		? undefined
		: `the transcript of agent ${id} is missing: it begins with its task (${path})`;
	const torn = isTorn(path) ? `the last line of agent ${id}'s transcript was torn, dropped` : undefined;
	return {
		reason: describeEnding(was),
		...(message === undefined ? {} : { message }),
		children: childrenBefore(id, { directory, run }),
		damage: [...damage, missing, torn].filter((line) => line !== undefined),
	};
}

function childrenBefore(id: AgentId, { directory, run }: AgainFacts): ChildBefore[] {
	return agentsInOrder(run)
		.filter((agent) => parentOf(agent.id) === id)
		.map((child) => ({
			agent: child.id,
			task: child.task,
			lastWords: cut(lastWordsOf(directory, child.id)),
			hasAnswered: isOver(child) && child.state.ending.by === "answer",
			...(child.command === undefined ? {} : { command: child.command }),
		}));
}

/** The newest text in the transcript's end; empty when there is none, or it cannot be read. */
export function lastWordsOf(directory: string, agent: AgentId): string {
	return lastOf(directory, agent, (entry) => textOf(entry.content).trim() || undefined) ?? "";
}

export function lastAnswerOf(directory: string, agent: AgentId): AssistantEntry | undefined {
	return lastOf(directory, agent, (entry) => entry);
}

function lastOf<T>(directory: string, agent: AgentId, from: (entry: AssistantEntry) => T | undefined): T | undefined {
	for (const line of linesOf(transcriptPath(directory, agent))) {
		const entry = asEntry(parse(line));
		const found = entry?.role === "assistant" ? from(entry) : undefined;
		if (found !== undefined) return found;
	}
	return undefined;
}

function linesOf(path: string): string[] {
	try {
		return lastLines(path, TAIL_BYTES);
	} catch (error) {
		if (error instanceof AgentreeError) return [];
		throw error;
	}
}

function parse(line: string): unknown {
	try {
		return JSON.parse(line);
	} catch {
		return undefined;
	}
}

function cut(text: string): string {
	return text.length <= MAX_WORDS ? text : `${text.slice(0, MAX_WORDS).toWellFormed()}…`;
}
