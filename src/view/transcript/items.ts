/**
 * The items of an agent's transcript, in the order of reading. Each has a key that stays the same while the transcript grows at
 * either end. Items do not change: an item that goes on is replaced by another one with the same key.
 */

import type { CommandEnd } from "../../core/bash-call.ts";
import type { AgentId } from "../../core/model/agent.ts";
import type { Usage } from "../../core/model/usage.ts";
import type { AssistantEntry, NoteEntry } from "../../core/schemas/transcript.ts";

export type TranscriptItem = TurnItem | SaidItem | CommandItem | MessageItem | NoteItem | NoticeItem;

/** How a call to the model was over. `cut_off`: its agent ended first. */
export type TurnEnd =
	| { readonly by: "answer"; readonly stopReason: string; readonly usage: Usage; readonly costUsd: number | null }
	| { readonly by: "failure"; readonly reason: string; readonly usage: Usage; readonly costUsd: number | null }
	| { readonly by: "cancelled"; readonly usage: Usage; readonly costUsd: number | null }
	| { readonly by: "cut_off" };

/** A call to the model; what came of it follows. */
export interface TurnItem {
	readonly is: "turn";
	readonly key: string;
	readonly turn: number;
	/** Undefined where the event log does not say when its call was made. */
	readonly startedAt: number | undefined;
	/** How long the agent waited for a slot before. */
	readonly waitedMs: number;
	/** When its call broke and was made again. */
	readonly retries: readonly { readonly at: number; readonly reason: string }[];
	/** Undefined while the call is under way. */
	readonly end: TurnEnd | undefined;
	readonly endedAt: number | undefined;
	/** The recorded answer. */
	readonly answer: AssistantEntry | undefined;
}

/** A part of an answer that is no call of a tool. */
export interface SaidItem {
	readonly is: "said";
	readonly key: string;
	readonly turn: number;
	/** `command`: a call of a tool while it is written. `other`: a block that is not shown; `text` says what it is. */
	readonly kind: "text" | "thinking" | "command" | "other";
	readonly text: string;
	/** `broken`: its call broke or was cancelled, so it is no part of the agent's history. */
	readonly state: "streaming" | "whole" | "broken";
}

/** A call of a tool, with the command that it runs, and its result. */
export interface CommandItem {
	readonly is: "command";
	readonly key: string;
	/** The key of the `said` item that it was while it was written. */
	readonly formerKey: string | undefined;
	/** Undefined for a command that is known from the event log alone. */
	readonly callId: string | undefined;
	/** Undefined for a result whose call is not in the transcript. */
	readonly text: string | undefined;
	/** Its number among those of its agent; undefined when nothing was run, or nothing so far. */
	readonly command: number | undefined;
	/** `lost`: it was never started, or nobody knows how it ended. */
	readonly state: "waiting" | "running" | "ended" | "lost";
	readonly startedAt: number | undefined;
	readonly endedAt: number | undefined;
	readonly end: CommandEnd | undefined;
	/** What the model got; undefined until it is recorded. */
	readonly result: string | undefined;
	readonly isError: boolean | undefined;
	/** When the result was recorded. */
	readonly recordedAt: number | undefined;
	/** All that it printed. */
	readonly outputBytes: number | undefined;
	/** The path of its output below the agent's directory. */
	readonly log: string | undefined;
	/** The child agents that it started or resumed. */
	readonly children: readonly AgentId[];
	/** The processes that it left running. */
	readonly leftRunning: readonly { readonly pid: number; readonly name: string }[];
}

/** Words that the agent was sent after its task. */
export interface MessageItem {
	readonly is: "message";
	readonly key: string;
	readonly at: number;
	/** As the model got them. */
	readonly text: string;
	/** `person`, or the agent that has sent it; undefined for words that are no message. */
	readonly from: string | undefined;
}

/** A note of the agent's own: a compaction, a resumption, a call that gave no message. */
export interface NoteItem {
	readonly is: "note";
	readonly key: string;
	readonly note: NoteEntry;
	/** A turn of the transcript tells of the same call. */
	readonly isOfTurn: boolean;
	/** The summary of a compaction, or what had come of a broken answer, unless it is an item already. */
	readonly text: string;
}

/** Something that happened to the agent, or to the run, and stands in no message. */
export interface NoticeItem {
	readonly is: "notice";
	readonly key: string;
	readonly at: number;
	readonly text: string;
	/** Something was refused, or has failed. */
	readonly isTrouble: boolean;
	/** For whoever watches it happen; a reader of the past finds it in other items. */
	readonly isPassing: boolean;
	/** Its call is made again. */
	readonly isRetry: boolean;
}

/**
 * How a transcript changes. `grownBy`: what an answer that streams has grown by, so that nobody looks at all of it again with each
 * piece. `printed`: a running command has printed lines; `skipped` bytes before them are left out.
 */
export type TranscriptChange =
	| { readonly is: "added" | "changed"; readonly item: TranscriptItem; readonly grownBy?: string }
	| { readonly is: "removed"; readonly key: string }
	| {
			readonly is: "printed";
			readonly item: CommandItem;
			readonly lines: readonly string[];
			readonly skipped: number;
	  };
