/**
 * The messages between an agent and its supervisor on the run's socket, one JSON object a line. Requests are imperative. An
 * agent keeps one connection for its whole life: when it closes, the agent has ended. The messages of one agent are handled
 * in the order sent.
 */
import * as v from "valibot";
import { MAX_SCHEMA_CHARS } from "../core/model/json-answer.ts";
import { REFUSAL_CODES } from "../core/run/admission.ts";
import { CommandEndSchema, CommandStartSchema, EndingSchema, LeftProcessSchema } from "../core/schemas/command.ts";
import {
	AskedLimitsSchema,
	AskedNarrowingSchema,
	ConfinementSchema,
	LimitsSchema,
	SandboxWishSchema,
} from "../core/schemas/limits.ts";
import {
	AssistantContentSchema,
	ContextFullSchema,
	EffortSchema,
	OwnMessagesSchema,
	UserContentSchema,
} from "../core/schemas/message.ts";
import { AskedWorktreeSchema } from "../core/schemas/own-worktree.ts";
import { CompactionNoteSchema, UserEntrySchema } from "../core/schemas/transcript.ts";
import {
	agentId,
	commandNumber,
	count,
	isObject,
	listOf,
	number,
	oneOf,
	optional,
	pid,
	share,
	text,
	UsageSchema,
} from "../core/schemas/values.ts";
import { cutTexts, firstOf, shortText, withCause } from "./bounded-text.ts";

function message<const S extends string, const T extends v.ObjectEntries>(say: S, entries: T) {
	return v.object({ say: v.literal(say), ...entries });
}

const MAX_TASK_CHARS = 33 * 1024 * 1024; // 32 MiB from stdin (terminal/stdin.ts), and an argument before it

const JoinSchema = message("join", {
	pid,
	/** The pid namespace in which `pid` is counted, as pid-namespace.ts reads it; null where the system has or tells none. */
	pidNamespace: v.nullable(shortText),
	/** Start time of the process, where /proc tells it: elsewhere asking costs a process. */
	startTime: optional(shortText),
	/** AGENTREE_TOKEN of the environment, its own or an ancestor's, in which the supervisor was found. */
	token: optional(shortText),
	/** AGENTREE_COMMAND of that environment: the command to which the process claims to belong. */
	command: optional(number),
	/** Absent for the root, whose task the supervisor knows. */
	task: optional(v.pipe(text, v.maxLength(MAX_TASK_CHARS))),
	...{ cwd: shortText, model: optional(shortText), effort: optional(EffortSchema) },
	/** The directory in which the command was typed: a relative file in the model's name is looked for there. */
	startedIn: optional(shortText),
	limits: AskedLimitsSchema,
	...{ systemPrompt: optional(text), appendSystemPrompt: optional(text) },
	/** The name of its role. */
	role: optional(shortText),
	/** Its paths are absolute. */
	sandbox: optional(SandboxWishSchema),
	/** When a person is asked before its commands, and rules that ask and deny. */
	asking: optional(AskedNarrowingSchema),
	/** It waits in line for a place among the living children of its parent. */
	waitsForPlace: optional(v.literal(true)),
	/** It and all below it get no instruction files of projects and users. */
	withoutInstructions: optional(v.literal(true)),
	/** Its answer has to be JSON that fits this JSON Schema: its text. */
	jsonSchema: optional(v.pipe(text, v.maxLength(MAX_SCHEMA_CHARS))),
	worktree: optional(AskedWorktreeSchema),
	/** The ended agent to resume, a child of the agent whose command this is; `task` is then a message to it. */
	resume: optional(agentId),
	/** The share of the model's window, 0 to 1, at which the history is compacted. */
	compactAt: optional(share),
});
export type Join = v.InferOutput<typeof JoinSchema>;

const RecordedNoteSchema = v.omit(CompactionNoteSchema, ["turn", "at"]);
const RecordedMessageSchema = v.omit(UserEntrySchema, ["at", "from"]);
/** An entry of the transcript; its time, and the turn of a note, are added by the supervisor. */
const RecordedSchema = v.lazy((entry) =>
	isObject(entry) && entry.role === "note" ? RecordedNoteSchema : RecordedMessageSchema,
);

export const FROM_AGENT = [
	JoinSchema,
	message("record", { entry: RecordedSchema }),
	/** What else the model is sent is the supervisor's: the prompt, the tools, and the words that ask for a summary. */
	message("ask", {
		messages: v.pipe(OwnMessagesSchema, v.minLength(1)),
		/** It asks for a summary of its older messages, in the supervisor's words. Answered by `summary`. */
		isSummary: optional(v.literal(true)),
		/** It could not do what the newest reply asks for. */
		isStuck: optional(v.literal(true)),
	}),
	/** Its log is the one that belongs to its number, so no agent names another. */
	message("command_started", {
		...v.omit(CommandStartSchema, ["log"]).entries,
		...{ command: commandNumber, toolUseId: optional(shortText), startTime: shortText },
	}),
	message("command_ended", {
		...{ command: commandNumber, end: cutTexts(CommandEndSchema), outputBytes: count },
		/** For people alone: nothing is signaled that an agent names here. */
		leftRunning: firstOf(cutTexts(v.object({ ...LeftProcessSchema.entries, pid }))),
	}),
	/** The agent's newest command gave the same result as the commands before it, `times` times in a row. */
	message("repeats", { command: commandNumber, times: count }),
	/** The messages that its next request would have, in answer to `history`. */
	message("history", { messages: OwnMessagesSchema }),
	/** `lastWords`: the text so far, when the ending is no answer. */
	message("finish", { ending: withCause(EndingSchema), lastWords: optional(text) }),
] as const;

export const FromAgentSchema = oneOf("say", FROM_AGENT);
export type FromAgent = v.InferOutput<typeof FromAgentSchema>;

const EarlierChildSchema = v.object({
	agent: agentId,
	/** A preview: one line, cut. */
	task: text,
	/** The child's last text, or the beginning of that: `characters` is the length of the whole. */
	lastWords: text,
	characters: optional(number),
	/** The path of the file that has the whole text. */
	transcript: text,
	/** `lastWords` are its answer. */
	hasAnswered: v.boolean(),
	/** The number of the command that started it, where that is known. */
	command: optional(number),
});
export type EarlierChild = v.InferOutput<typeof EarlierChildSchema>;

const ResumedSchema = v.object({
	/** How the agent had ended, in words. */
	reason: text,
	/** It had answered, or listened: its end has interrupted nothing. */
	isAtRest: optional(v.literal(true)),
	/** The message of the person or the parent that resumed it. */
	message: optional(text),
	/** The directory that it worked in before, where that was another one. */
	movedFrom: optional(text),
	/** The /tmp of its commands is another one now. */
	hasNewTmp: optional(v.literal(true)),
	/** Messages wait for it. */
	hasMessages: optional(v.literal(true)),
	/** The agent's children so far, all of which have ended. */
	children: listOf(EarlierChildSchema),
	/** The damage of the agent's files that has been repaired, one line each, for people. */
	damage: listOf(text),
});
export type Resumed = v.InferOutput<typeof ResumedSchema>;

/** The answer to a join: who the agent is, where it works, and what it continues with. */
const JoinedSchema = v.object({
	say: v.literal("joined"),
	run: text,
	agent: agentId,
	/** Proves that a process belongs to a command of this agent. */
	token: text,
	task: text,
	cwd: text,
	/** The agent's directory, for the raw output of its commands. It exists. */
	directory: text,
	/** The directory that comes first in the PATH of commands. */
	shimDirectory: text,
	/** The names of pipes that were made for the agent's first commands, in the directory of its pipes. */
	pipes: listOf(text),
	/** What it asked for and does not get, a line each. */
	notices: optional(listOf(text)),
	/** Present when a sandbox confines the agent's commands. */
	sandbox: optional(
		v.object({
			/** bwrap, and its arguments up to the command. */
			...{ program: text, args: listOf(text) },
			/** Where the agent's pipes are made, in place of the directory beside the socket. */
			pipesDirectory: text,
			/** A file that bwrap reads as descriptor 4: the system calls that are refused. */
			filter: optional(text),
			/** Commands have a network of their own, shared by those of the agent; absent: the host's. */
			network: optional(v.picklist(["proxy", "none"])),
			/** A person can be asked to let a command leave it. */
			mayLeave: optional(v.literal(true)),
			/** The process in whose namespaces the commands of an agent are started that is in no sandbox itself. */
			layers: optional(pid),
			/** For commands; those that a command has already win. */
			variables: v.record(v.string(), v.string()),
			/** What the arguments make. */
			confinement: ConfinementSchema,
		}),
	),
	/** The state directory. */
	home: text,
	/** The soft limit of open files for its commands; absent: inherited. */
	commandFiles: optional(number),
	model: text,
	limits: LimitsSchema,
	/** The size of the system prompt and the tools, which the supervisor adds to each request. */
	promptBytes: number,
	/** The model's context window, tokens. */
	contextTokens: number,
	/** The share of the window, 0 to 1, at which older rounds are replaced by a summary. */
	compactAt: number,
	/** Present for a resumed agent, which has its history from its transcript. */
	resumed: optional(ResumedSchema),
	/** Only what fits a schema is printed: what `over` says, and no file of what a command printed. */
	hasSchema: optional(v.literal(true)),
	/** It is not over with its answer: the root of a conversation. */
	isConversation: optional(v.literal(true)),
	/** It does not ask before it gets a reply. */
	waits: optional(v.literal(true)),
	/** Print the answer to stdout; false for a root whose supervisor reports in another format. */
	printsAnswer: v.boolean(),
});
export type Joined = v.InferOutput<typeof JoinedSchema>;

/**
 * What an agent does after a call of its model, and what one that waits does now: it keeps the answer, runs the calls in it, tells
 * its model what `tell` has, and asks again.
 */
const ReplySchema = message("reply", {
	answer: optional(v.object({ content: AssistantContentSchema, usage: UsageSchema })),
	/** What the agent has to say so far, where that is not the text of the answer. */
	text: optional(text),
	/** A file whose bytes are that. */
	output: optional(text),
	/** Calls that are not run, by their ids: the reason is the result of each. */
	refused: optional(v.record(text, text)),
	/** Ids of calls that wait for `permit`. */
	unsure: optional(listOf(text)),
	/** Texts for the model, behind the results of its calls. */
	tell: optional(listOf(text)),
	/** The history has to be shorter before the agent asks; where it cannot be, the ask says so. */
	shorten: optional(
		v.object({
			/** The service refuses its length, or its thinking; it refuses the last report; a person asks for it. */
			by: v.picklist(["service", "thinking", "report", "person"]),
			full: optional(ContextFullSchema),
		}),
	),
	/** The agent runs nothing, and does not ask before another reply comes. */
	waits: optional(v.literal(true)),
});

/** The agent ends. `text`, `output`: as in a reply. */
const OverSchema = message("over", {
	ending: EndingSchema,
	...{ text: optional(text), output: optional(text) },
	/** What it said last does not fit the schema that it has to fit: it is not printed. */
	isUnfit: optional(v.literal(true)),
});

/** The answer to an ask for a summary. */
const SUMMARIES = [
	message("summary", { is: v.literal("written"), text }),
	/** Once more: the model has called a tool in its place, or its service refuses the thinking. */
	message("summary", { is: v.literal("again"), withoutThinking: optional(v.literal(true)) }),
	message("summary", { is: v.picklist(["too_long", "none", "interrupted"]) }),
] as const;

/** Whether the logs of commands may be written, and why not. Until the first of these messages they may. */
const LOGS = [
	v.object({ say: v.literal("logs"), mayWrite: v.literal(true) }),
	v.object({ say: v.literal("logs"), mayWrite: v.literal(false), reason: text }),
] as const;

const TO_AGENT = [
	JoinedSchema,
	message("refused", { code: v.picklist([...REFUSAL_CODES, "unknown", "usage"]), reason: text }),
	ReplySchema,
	OverSchema,
	...SUMMARIES,
	/** What the request of the open ask has beside the agent's own messages, behind them; the supervisor has recorded it. */
	message("told", { content: UserContentSchema }),
	/** The number of living child agents of a command: while it is not 0 the command's clock stands still. */
	message("children", { command: number, alive: number }),
	/** A person has said whether the command of the call may run. `refusal`: it may not, for that reason, which is for the model. */
	message("permit", { call: text, refusal: optional(text) }),
	/** While it is paused, the clocks of the agent's commands stand still. */
	message("pause", { isPaused: v.boolean() }),
	...LOGS,
	/** Its time is nearly over: end your commands and begin no other. */
	message("out_of_time", { reason: text }),
	/** End your commands, print what you have, finish with this ending. `text`: of the call that was under way. */
	message("stop", { ending: EndingSchema, text: optional(text) }),
	/** A person ends what the agent does: end your commands and begin no other. A call under way is answered. */
	message("interrupt", {}),
	/** Say what your next request would have, at any time. */
	message("history", {}),
	/** From now on the agent works with this. `isOtherModel`: the thoughts of the one before are not for it. */
	message("changed", {
		...{ promptBytes: number, contextTokens: number, compactAt: number },
		isOtherModel: optional(v.literal(true)),
	}),
	/** The agent's `finish` is recorded: it may exit. `notice` is for its stderr. */
	message("finished", { notice: optional(text) }),
] as const;

/** An agent loads only these types, not the schemas: both ends are of one build, and schemas would cost its start. */
export type ToAgent = v.InferOutput<(typeof TO_AGENT)[number]>;
export type Reply = v.InferOutput<typeof ReplySchema>;
export type Over = v.InferOutput<typeof OverSchema>;
export type Summary = v.InferOutput<(typeof SUMMARIES)[number]>;
