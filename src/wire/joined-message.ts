/** What an admitted agent is told: who it is, where it works, and what it has to go on with. */
import * as v from "valibot";
import { ConfinementSchema, LimitsSchema } from "../core/schemas/limits.ts";
import { agentId, listOf, number, optional, text } from "../core/schemas/values.ts";

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

export const JoinedSchema = v.object({
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
	/** What it asked for and is not given, a line each. */
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
			/** The table of what is mounted for the commands of an agent that is in no sandbox itself. */
			layers: optional(text),
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
