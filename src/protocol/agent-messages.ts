/**
 * What an agent and its supervisor say to each other over the run's socket, one JSON object a line. Requests are
 * imperative. An agent opens one connection and keeps it: when it closes, the agent has ended. Records and requests of
 * one agent are handled in the order sent.
 */
import * as v from "valibot";
import { REFUSAL_CODES } from "../core/admission.ts";
import { CommandEndSchema, CommandStartSchema, LeftProcessSchema } from "../core/schemas/command.ts";
import { EndingSchema } from "../core/schemas/ending.ts";
import { AskedLimitsSchema, LimitsSchema } from "../core/schemas/limits.ts";
import {
	AssistantContentSchema,
	ContextFullSchema,
	EffortSchema,
	ModelRequestSchema,
} from "../core/schemas/message.ts";
import { CompactionNoteSchema, UserEntrySchema } from "../core/schemas/transcript.ts";
import { UsageSchema } from "../core/schemas/usage.ts";
import { agentId, isObject, listOf, number, oneOf, optional, pid, text } from "../core/schemas/values.ts";

function message<const S extends string, const T extends v.ObjectEntries>(say: S, entries: T) {
	return v.object({ say: v.literal(say), ...entries });
}

export const JoinSchema = message("join", {
	pid,
	/** In which `pid` has that number, as pid-namespace.ts has it; null where the system has none, or does not say. */
	pidNamespace: v.nullable(text),
	/** Of the process, where /proc tells it: elsewhere it costs a process to ask. */
	startTime: optional(text),
	/** From AGENTREE_TOKEN of the environment that was found, its own or an ancestor's. */
	token: optional(text),
	/** From AGENTREE_COMMAND: the command that it believes to belong to. */
	command: optional(number),
	/** Absent for the root, whose task the supervisor knows. */
	task: optional(text),
	cwd: text,
	model: optional(text),
	/** Where the command was typed: a file in the model's name is looked for there. */
	startedIn: optional(text),
	effort: optional(EffortSchema),
	limits: AskedLimitsSchema,
	systemPrompt: optional(text),
	appendSystemPrompt: optional(text),
	/** Go on as this agent, a child of the one that joins, which had ended; `task` is then a message for it. */
	resume: optional(agentId),
	/** As in Joined. */
	compactAt: optional(number),
});
export type Join = v.InferOutput<typeof JoinSchema>;

/** The supervisor knows the turn of a note. */
const RecordedSchema = v.lazy((entry) =>
	isObject(entry) && entry.role === "note" ? v.omit(CompactionNoteSchema, ["turn"]) : UserEntrySchema,
);

export const FROM_AGENT = [
	JoinSchema,
	message("record", { entry: RecordedSchema }),
	message("ask", { request: ModelRequestSchema, kind: v.picklist(["turn", "last", "compaction"]) }),
	message("command_started", CommandStartSchema.entries),
	message("command_ended", {
		...{ command: number, end: CommandEndSchema, outputBytes: number, leftRunning: listOf(LeftProcessSchema) },
	}),
	/** Its newest command gave the same result as those before it, so many times in a row. */
	message("repeats", { command: number, times: number }),
	/** `lastWords`: what there is of an answer, when the ending is none. */
	message("finish", { ending: EndingSchema, lastWords: optional(text) }),
] as const;

export const FromAgentSchema = oneOf("say", FROM_AGENT);
export type FromAgent = v.InferOutput<typeof FromAgentSchema>;

const EarlierChildSchema = v.object({
	agent: agentId,
	/** In one line, cut. */
	task: text,
	/** Its last text; the beginning of it where `characters`, which it has in all, are more than were sent. */
	lastWords: text,
	characters: optional(number),
	/** The path of the file that has it whole. */
	transcript: text,
	/** Then `lastWords` are its answer. */
	hasAnswered: v.boolean(),
	/** The command that it was started by, where that is known. */
	command: optional(number),
});
export type EarlierChild = v.InferOutput<typeof EarlierChildSchema>;

const ResumedSchema = v.object({
	/** How it had ended, in words. */
	reason: text,
	/** Of the person, or the parent, that resumed it. */
	message: optional(text),
	/** Its child agents, all of which are over. */
	children: listOf(EarlierChildSchema),
	/** One line each, for people: what of its files was damaged and is mended. */
	damage: listOf(text),
});
export type Resumed = v.InferOutput<typeof ResumedSchema>;

const JoinedSchema = message("joined", {
	run: text,
	agent: agentId,
	/** For the agent's commands. */
	token: text,
	task: text,
	cwd: text,
	/** Where the agent puts its commands' raw output. Exists. */
	directory: text,
	/** First in the PATH of commands. */
	shimDirectory: text,
	home: text,
	/** The soft limit of open files for its commands, when it is not the one that they would inherit. */
	commandFiles: optional(number),
	model: text,
	limits: LimitsSchema,
	systemPrompt: optional(text),
	appendSystemPrompt: optional(text),
	/** The model's context window, tokens. */
	contextTokens: number,
	/** The share of the window, 0 to 1, at which older rounds are replaced by a summary. */
	compactAt: number,
	/** It goes on with the history that is in its transcript. */
	resumed: optional(ResumedSchema),
	/** The answer is what a command printed, byte for byte, which may be nothing. */
	answersBytes: optional(v.literal(true)),
	/** Print the answer to stdout; false for a root whose supervisor reports in another format. */
	printsAnswer: v.boolean(),
});
export type Joined = v.InferOutput<typeof JoinedSchema>;

/** Whether the logs of commands may be written, and why not. Until it is said, they may. */
const LOGS = [
	v.object({ say: v.literal("logs"), mayWrite: v.literal(true) }),
	v.object({ say: v.literal("logs"), mayWrite: v.literal(false), reason: text }),
] as const;

export const TO_AGENT = [
	JoinedSchema,
	message("refused", { code: v.picklist([...REFUSAL_CODES, "unknown", "usage"]), reason: text }),
	message("answer", {
		content: AssistantContentSchema,
		stopReason: text,
		stopWords: optional(text),
		usage: UsageSchema,
		/** What the model is to be told beside the results of its calls. */
		notes: optional(listOf(text)),
		/** A file whose bytes are the answer. */
		output: optional(text),
	}),
	message("ask_failed", {
		reason: text,
		exitCode: v.picklist([1, 75, 77]),
		/** The text that had come before the call broke. */
		partial: text,
		/** As in `answer`. */
		output: optional(text),
		/** These two as in ModelFailure. */
		contextFull: optional(ContextFullSchema),
		refusesThinking: optional(v.literal(true)),
	}),
	/** No more turns: one ask of kind `last` may be made. `partial`: as above, of a call that is not tried again. */
	message("ask_refused", { limit: text, reason: text, partial: text }),
	/** How many child agents of that command live: while it is not 0 the command's clock stands still. */
	message("children", { command: number, alive: number }),
	...LOGS,
	/** End your commands, print what you have, finish with this ending. `partial`: the text of a call that was under way. */
	message("stop", { ending: EndingSchema, partial: text }),
	message("finished", {}),
] as const;

/** An agent knows these types alone, since it loads no schema: from-supervisor.ts has what it checks. */
export type ToAgent = v.InferOutput<(typeof TO_AGENT)[number]>;
