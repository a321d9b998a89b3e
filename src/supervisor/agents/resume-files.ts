/** The files of an agent that is resumed, and what it is told about the time before. */
import { existsSync, statSync } from "node:fs";
import { defined } from "../../core/defined.ts";
import { AgentreeError } from "../../core/errors.ts";
import { type AgentId, isOver, parentOf } from "../../core/model/agent.ts";
import type { AgentFile } from "../../core/model/transcript.ts";
import { agentsInOrder, type RunState } from "../../core/run/run-state.ts";
import { isTorn } from "../../record/files/json-lines.ts";
import { lastTextOf } from "../../record/read-events.ts";
import { readAgentFile } from "../../record/read-run.ts";
import { transcriptPath } from "../../record/run-directory.ts";
import { describeEnding } from "../../text/states.ts";
import type { EarlierChild, Resumed } from "../../wire/agent-messages.ts";
import type { Was } from "../decide/effect.ts";

const MAX_WORDS = 50_000; // characters of one child's last words
const MAX_ALL_WORDS = 2_000_000; // characters of all children's, the newest first: the parent knows most of the older ones
const LEAST_WORDS = 4_000; // characters of each older child's when all that room is used

interface ResumeFilesDeps {
	/** The directory of the run. */
	directory: string;
	run: RunState;
}

/**
 * agent.json without its end, with the model and the limits that hold now. When it cannot be read, `fallback` takes its place
 * and `damage` says so.
 */
export function reopenAgentFile(
	fallback: AgentFile,
	{ directory, run }: ResumeFilesDeps,
): { file: AgentFile; damage: string | undefined } {
	const { agent: id } = fallback;
	const agent = run.agents[id];
	const now = agent === undefined ? {} : { model: agent.model, limits: agent.limits };
	try {
		const { endedAt: _, ending: __, turns, commands, usage, costUsd, ...file } = readAgentFile(directory, id);
		return { file: { ...file, ...now }, damage: undefined };
	} catch (error) {
		if (!(error instanceof AgentreeError)) throw error;
		return { file: { ...fallback, ...now }, damage: `${error.message}; rebuilt` };
	}
}

interface ToldOnResume {
	message: string | undefined;
	/** The directory that it worked in, where that is another one now. */
	movedFrom?: string | undefined;
	hasNewTmp?: boolean;
	damage: readonly (string | undefined)[];
}

/** What the resumed agent is told. To be called before anything is appended to its transcript. */
export function resumedOf(
	id: AgentId,
	{ was, isAtRest, message, movedFrom, hasNewTmp, damage }: Was & ToldOnResume,
	{ directory, run }: ResumeFilesDeps,
): Resumed {
	const path = transcriptPath(directory, id);
	const missing = hasBytes(path)
		? undefined
		: `the transcript of agent ${id} is ${existsSync(path) ? "empty" : "missing"}: it now starts with its task (${path})`;
	const torn = isTorn(path) ? `the last line of agent ${id}'s transcript was torn, dropped` : undefined;
	return {
		reason: describeEnding(was),
		...(isAtRest && { isAtRest }),
		...(hasNewTmp && { hasNewTmp }),
		...defined({ message, movedFrom }),
		...(run.agents[id]?.messages !== undefined && { hasMessages: true }),
		children: earlierChildren(id, { directory, run }),
		damage: [...damage, missing, torn].filter((line) => line !== undefined),
	};
}

function hasBytes(path: string): boolean {
	return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

function earlierChildren(id: AgentId, { directory, run }: ResumeFilesDeps): EarlierChild[] {
	let left = MAX_ALL_WORDS;
	const children = agentsInOrder(run).filter((agent) => parentOf(agent.id) === id);
	const newestFirst = children.reverse().map((child): EarlierChild => {
		const words = lastTextOf(directory, child.id);
		const lastWords = words.slice(0, Math.min(MAX_WORDS, Math.max(LEAST_WORDS, left))).toWellFormed();
		left -= lastWords.length;
		return {
			agent: child.id,
			task: child.task,
			lastWords,
			...defined({ characters: lastWords.length < words.length ? words.length : undefined }),
			transcript: transcriptPath(directory, child.id),
			hasAnswered: isOver(child) && child.state.ending.by === "answer",
			...defined({ command: child.command }),
		};
	});
	return newestFirst.reverse();
}
