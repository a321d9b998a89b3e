import type { Ending } from "./agent.ts";
import type { CommandEnd } from "./command.ts";
import type { Limits } from "./limits.ts";
import type { AssistantMessage, Effort, UserMessage } from "./model.ts";
import type { Usage } from "./usage.ts";

/** What the agent notes beside a tool result that it sends. */
export interface CommandRecord {
	command: number;
	tool_use_id: string;
	end: CommandEnd;
	/** All that the command printed, also what was not kept. */
	output_bytes: number;
	/** Below the agent's directory: `out/0003.log`. Absent when nothing was run. */
	log?: string;
}

/** One line of transcript.jsonl: a message as the Messages API has it, and what is known about it. `at`: ms since the epoch. */
export type UserEntry = UserMessage & { at: number; commands?: CommandRecord[] };
export type AssistantEntry = AssistantMessage & {
	at: number;
	turn: number;
	model: string;
	stop_reason: string;
	usage: Usage;
	cost_usd: number | null;
	request_id?: string;
	message_id?: string;
};

/** A call that gave no message, but may have been charged. */
export interface CallNote {
	role: "note";
	note: "call";
	at: number;
	turn: number;
	/** `compaction`: it wrote a summary. */
	outcome: "retried" | "failed" | "cancelled" | "compaction";
	reason: string;
	usage: Usage;
	cost_usd: number | null;
	/** The text that had come of it. */
	partial?: string;
}

/** From here on older rounds are replaced in what the model is sent; the lines above stay for the record. */
export interface CompactionNote {
	role: "note";
	note: "compaction";
	at: number;
	turn: number;
	how: "summary" | "dropped_results";
	/** Stands for the rounds between the task and the newest `kept_messages` messages; empty when results were dropped. */
	summary: string;
	/** How many of the messages above stay, from the end; the task, which is the first of all, stays in any case. */
	kept_messages: number;
	/** How many of the tool results in them stay as they are, from the end; a line stands for each older one. Absent: all. */
	kept_results?: number;
	/** Of the context, the second one an estimate. */
	tokens_before: number;
	tokens_after: number;
}

/** The agent went on in a new process. */
export interface ResumeNote {
	role: "note";
	note: "resumed";
	at: number;
	/** How it had ended, in words. */
	reason: string;
}

export type NoteEntry = CallNote | CompactionNote | ResumeNote;
export type MessageEntry = UserEntry | AssistantEntry;
/** A line is a message of the Messages API, or a note about what happened between two. */
export type TranscriptEntry = MessageEntry | NoteEntry;

/** agent.json: rewritten when the agent joins and when it ends. */
export interface AgentFile {
	agent: string;
	run: string;
	parent?: string;
	task: string;
	cwd: string;
	model: string;
	effort?: Effort;
	limits: Limits;
	/** The system prompt as every request of this agent carries it. */
	system: string;
	/** What it was given in place of the built-in prompt, and behind it. */
	system_prompt?: string;
	append_system_prompt?: string;
	/** As in Joined; absent: the usual share. */
	compact_at?: number;
	/** The model's context window, where it is known. */
	window_tokens?: number;
	joined_at: number;
	ended_at?: number;
	ending?: Ending;
	turns?: number;
	commands?: number;
	usage?: Usage;
	cost_usd?: number | null;
}

/** run.json. */
export interface RunFile {
	run: string;
	task: string;
	cwd: string;
	model: string;
	limits: Limits;
	supervisor: { pid: number; start_time: string };
	socket: string;
	version: string;
	started_at: number;
	ended_at?: number;
	ending?: Ending;
	exit_code?: number;
	/** Of all agents together. */
	agents?: number;
	turns?: number;
	usage?: Usage;
	cost_usd?: number | null;
}
