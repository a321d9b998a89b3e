/** What the files of a run look like, as far as a reader relies on it (docs/files.md). */
import type { Ending } from "../core/agent.ts";
import type { CommandEnd } from "../core/command.ts";
import type { RunEvent } from "../core/run-event.ts";
import type { NoteEntry } from "../core/transcript.ts";
import {
	aNumber,
	anAgent,
	aPid,
	aText,
	aTime,
	type Fits,
	isObject,
	listOf,
	objectOf,
	oneOf,
	optional,
	orNull,
	type Shape,
} from "./shape.ts";

const anEnding = oneOf("by", {
	answer: {},
	failure: { reason: aText },
	limit: { reason: aText },
	stopped: { reason: aText },
	killed: { signal: aText },
	crashed: { reason: aText },
} satisfies Record<Ending["by"], Shape>);

const aCommandEnd = oneOf("by", {
	exit: { code: aNumber },
	signal: { signal: aText },
	timeout: { afterMs: aNumber },
	stopped: { reason: aText },
	not_started: { reason: aText },
} satisfies Record<CommandEnd["by"], Shape>);

const aUsage = objectOf({ input: aNumber, output: aNumber, cacheRead: aNumber, cacheWrite: aNumber });
const aCost = orNull(aNumber);
/** Which limits there are differs from version to version; each is a number, or not set. */
const someLimits: Fits = (value) => isObject(value) && Object.values(value).every(orNull(aNumber));

export const RUN_FILE: Shape = {
	run: aText,
	task: aText,
	cwd: aText,
	model: aText,
	limits: someLimits,
	supervisor: objectOf({ pid: aPid, start_time: aText }),
	socket: aText,
	started_at: aTime,
	ended_at: optional(aTime),
	ending: optional(anEnding),
	exit_code: optional(aNumber),
	agents: optional(aNumber),
	turns: optional(aNumber),
	usage: optional(aUsage),
	cost_usd: optional(aCost),
};

export const AGENT_FILE: Shape = {
	agent: anAgent,
	run: aText,
	task: aText,
	cwd: aText,
	model: aText,
	effort: optional(aText),
	limits: someLimits,
	system_prompt: optional(aText),
	append_system_prompt: optional(aText),
	compact_at: optional(aNumber),
	window_tokens: optional(aNumber),
	joined_at: aTime,
	ended_at: optional(aTime),
	ending: optional(anEnding),
	turns: optional(aNumber),
	commands: optional(aNumber),
	usage: optional(aUsage),
	cost_usd: optional(aCost),
};

const aProcess = { pid: aPid, startTime: aText };
const anAgentsTurn = { agent: anAgent, turn: aNumber };
const aTurnsCost = { ...anAgentsTurn, usage: aUsage, costUsd: aCost };
const anAgentsCommand = { agent: anAgent, command: aNumber };

/** Beside `event` and `at`. */
export const EVENTS: Readonly<Record<RunEvent["event"], Shape>> = {
	run_started: { run: aText, task: aText, cwd: aText, model: aText, limits: someLimits, ...aProcess },
	agent_joined: {
		...{ agent: anAgent, ...aProcess, task: aText, model: aText, limits: someLimits },
		...{ command: optional(aNumber), windowTokens: optional(aNumber) },
	},
	child_refused: { parent: optional(orNull(anAgent)), code: aText, reason: aText, task: aText },
	turn_queued: { agent: anAgent, reason: optional(aText) },
	turn_started: anAgentsTurn,
	turn_ended: { ...aTurnsCost, stopReason: aText },
	turn_failed: { ...aTurnsCost, reason: aText },
	turn_retrying: { ...aTurnsCost, attempt: aNumber, waitMs: aNumber, reason: aText },
	turn_cancelled: aTurnsCost,
	calls_slowed: { reason: aText, waitMs: aNumber, maxCalls: aNumber },
	budget_noticed: { agent: anAgent, reason: aText },
	history_compacted: { agent: anAgent, how: aText, tokensBefore: aNumber, tokensAfter: aNumber },
	run_resumed: { limits: someLimits, ...aProcess, model: optional(aText) },
	agent_resumed: {
		...{ agent: anAgent, ...aProcess, limits: someLimits },
		...{ command: optional(aNumber), model: optional(aText), windowTokens: optional(aNumber) },
	},
	turn_refused: { agent: anAgent, reason: aText },
	command_started: { ...anAgentsCommand, text: aText, pid: aPid, log: aText },
	command_ended: {
		...{ ...anAgentsCommand, end: aCommandEnd, outputBytes: aNumber },
		leftRunning: listOf(objectOf({ pid: aNumber, name: aText })),
	},
	agent_repeats: { ...anAgentsCommand, times: aNumber },
	shortage_began: { what: aText, reason: aText },
	shortage_ended: { what: aText },
	agent_stopping: { agent: anAgent, reason: aText },
	agent_ended: { agent: anAgent, ending: anEnding },
	run_stopping: { reason: aText },
	run_ended: { ending: anEnding, exitCode: aNumber, survivors: listOf(aNumber) },
};

/** A kind of block that the service has invented since is shown by its name. */
function blocksOf(known: Readonly<Record<string, Shape>>): Fits {
	const isKnown = oneOf("type", known);
	return listOf((block) => {
		if (!isObject(block) || typeof block.type !== "string") return false;
		return Object.hasOwn(known, block.type) ? isKnown(block) : true;
	});
}

export const USER_ENTRY: Shape = {
	at: aTime,
	content: blocksOf({ text: { text: aText }, tool_result: { tool_use_id: aText, content: aText } }),
	commands: optional(
		listOf(
			objectOf({
				...{ command: aNumber, tool_use_id: aText, end: aCommandEnd, output_bytes: aNumber },
				log: optional(aText),
			}),
		),
	),
};

export const NOTES: Readonly<Record<NoteEntry["note"], Shape>> = {
	call: { at: aTime, turn: aNumber, outcome: aText, reason: aText, usage: aUsage, cost_usd: aCost },
	compaction: {
		...{ at: aTime, turn: aNumber, how: aText, summary: aText, kept_messages: aNumber },
		...{ kept_results: optional(aNumber), tokens_before: aNumber, tokens_after: aNumber },
	},
	resumed: { at: aTime, reason: aText },
};

export const ASSISTANT_ENTRY: Shape = {
	at: aTime,
	content: blocksOf({
		text: { text: aText },
		thinking: { thinking: aText },
		tool_use: { id: aText, name: aText },
	}),
	turn: aNumber,
	model: aText,
	stop_reason: aText,
	usage: aUsage,
	cost_usd: aCost,
};
