/** One line of transcript.jsonl: a message as the Messages API has it and what is known about it, or a note between two. */
import * as v from "valibot";
import { CommandEndSchema } from "./command.ts";
import { AssistantContentSchema, UserContentSchema } from "./message.ts";
import { CostSchema, isObject, listOf, logPath, number, oneOf, optional, text, time, UsageSchema } from "./values.ts";

/** What the agent notes beside a tool result that it sends. */
const CommandRecordSchema = v.object({
	command: number,
	toolUseId: text,
	end: CommandEndSchema,
	/** All that the command printed, also what was not kept. */
	outputBytes: number,
	/** The path of the raw output below the agent's directory: `out/0003.log`. Absent when nothing was run. */
	log: optional(logPath),
});
export type CommandRecord = v.InferOutput<typeof CommandRecordSchema>;

export const UserEntrySchema = v.object({
	role: v.literal("user"),
	content: UserContentSchema,
	at: time,
	commands: optional(v.array(CommandRecordSchema)),
	/** Of a message that was sent to the agent: `person`, or the agent that has sent it. */
	from: optional(text),
});
export type UserEntry = v.InferOutput<typeof UserEntrySchema>;

export const AssistantEntrySchema = v.object({
	role: v.literal("assistant"),
	content: AssistantContentSchema,
	at: time,
	turn: number,
	model: text,
	stopReason: text,
	usage: UsageSchema,
	costUsd: CostSchema,
	requestId: optional(text),
	/** The service's name for the message. */
	messageId: optional(text),
});
export type AssistantEntry = v.InferOutput<typeof AssistantEntrySchema>;

function note<const N extends string, const T extends v.ObjectEntries>(name: N, entries: T) {
	return v.object({ role: v.literal("note"), note: v.literal(name), at: time, ...entries });
}

/** A call that gave no message, but may have been charged. */
const CallNoteSchema = note("call", {
	turn: number,
	/** `compaction`: it wrote a summary. */
	outcome: v.picklist(["retried", "failed", "cancelled", "compaction"]),
	reason: text,
	usage: UsageSchema,
	costUsd: CostSchema,
	/** The text that had streamed before the call ended. */
	partial: optional(text),
	/** What the model wrote, for `compaction`. */
	content: optional(AssistantContentSchema),
});
export type CallNote = v.InferOutput<typeof CallNoteSchema>;

/** In what the model is sent, older rounds are replaced from this line on; the lines above stay for the record. */
export const CompactionNoteSchema = note("compaction", {
	turn: number,
	how: v.picklist(["summary", "dropped_results"]),
	/** Stands for the rounds between the task and the newest `keptMessages` messages; empty when results were dropped. */
	summary: text,
	/** How many of the messages above stay, from the end; the task, which is the first of all, stays in any case. */
	keptMessages: number,
	/** How many of the tool results in them stay as they are, from the end; a line stands for each older one. Absent: all. */
	keptResults: optional(number),
	/** Tokens of the context; those after the compaction are an estimate. */
	tokensBefore: number,
	tokensAfter: number,
});
export type CompactionNote = v.InferOutput<typeof CompactionNoteSchema>;

/** The agent went on in a new process; `reason`: how it had ended, in words. */
/** `damage`: what of its files had to be repaired, a line each. */
const ResumeNoteSchema = note("resumed", { reason: text, damage: optional(listOf(text)) });
export type ResumeNote = v.InferOutput<typeof ResumeNoteSchema>;

/** The transcript was copied from that of the agent in the run `from`, which has spent all that stands above. */
const ForkNoteSchema = note("forked", { from: text });
export type ForkNote = v.InferOutput<typeof ForkNoteSchema>;

/** A person has given the agent another model, which is not sent the thoughts above, since they are those of another one. */
const ChangeNoteSchema = note("changed", { model: text });

export const NOTES = [
	CallNoteSchema,
	CompactionNoteSchema,
	ResumeNoteSchema,
	ForkNoteSchema,
	ChangeNoteSchema,
] as const;
const MessageEntrySchema = oneOf("role", [UserEntrySchema, AssistantEntrySchema]);
const NoteEntrySchema = oneOf("note", NOTES);

export const TranscriptEntrySchema = v.lazy((line) =>
	isObject(line) && line.role === "note" ? NoteEntrySchema : MessageEntrySchema,
);
export type NoteEntry = v.InferOutput<typeof NoteEntrySchema>;
export type MessageEntry = v.InferOutput<typeof MessageEntrySchema>;
export type TranscriptEntry = v.InferOutput<typeof TranscriptEntrySchema>;
