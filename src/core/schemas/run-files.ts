/** Small files of a run, which are replaced whole: run.json, one agent.json an agent, the run's lock; and a person's lasting answers. */
import * as v from "valibot";
import { EndingSchema } from "./command.ts";
import { ConfinementSchema, LimitsSchema, NarrowingSchema } from "./limits.ts";
import { EffortSchema } from "./message.ts";
import { OwnWorktreeSchema } from "./own-worktree.ts";
import { agentId, CostSchema, exitStatus, listOf, number, optional, pid, text, time, UsageSchema } from "./values.ts";

/** The format of a run's files as they are written now. Format 1 had its keys in camelCase; it is read all the same. */
export const RUN_FORMAT = 2;

/** Where a run was made. */
export const OriginSchema = v.object({
	/** The machine: `id:` and a hash of its machine-id, or `name:` and its name where it has none. */
	host: text,
	/** The run's directory, without links. */
	directory: text,
	/** The number of that directory in its file system. */
	inode: text,
});
export type Origin = Readonly<v.InferOutput<typeof OriginSchema>>;

/** run.json. */
export const RunFileSchema = v.object({
	/** The format of the run's files: RUN_FORMAT when they were written; absent in format 1. */
	format: v.optional(number, 1),
	run: text,
	task: text,
	cwd: text,
	/** What a person calls it. */
	name: optional(text),
	/** The run of which it is a copy. */
	forkedFrom: optional(text),
	/** Which directory `cwd` was when the run began, or was last resumed: inode and time of birth. */
	cwdId: optional(text),
	model: text,
	limits: LimitsSchema,
	supervisor: v.object({ pid, startTime: text }),
	socket: text,
	/** The version of agentree that the supervisor is of. */
	version: v.optional(text, ""),
	/** Where it was made, or last resumed; absent in runs of before. */
	origin: optional(OriginSchema),
	/** It is or was a conversation: its root waits for a person between its answers. */
	isConversation: optional(v.literal(true)),
	/** No sandbox, and nobody is asked before a command: the person who started it, or let it go on, said so. */
	skipsPermissions: optional(v.literal(true)),
	/** Why commands are in no sandbox, where nobody has turned it off. */
	noSandbox: optional(text),
	/** At its end its root listened: nothing was under way. */
	hadListened: optional(v.literal(true)),
	startedAt: time,
	endedAt: optional(time),
	ending: optional(EndingSchema),
	exitCode: optional(exitStatus),
	/** How many agents were started in all. The sums below are over all of them. */
	agents: optional(number),
	/** How many of them have failed. */
	failed: optional(number),
	turns: optional(number),
	usage: optional(UsageSchema),
	costUsd: optional(CostSchema),
});
export type RunFile = v.InferOutput<typeof RunFileSchema>;

/** agent.json: rewritten when the agent joins and when it ends. */
export const AgentFileSchema = v.object({
	agent: agentId,
	run: text,
	parent: optional(agentId),
	task: text,
	cwd: text,
	model: text,
	effort: optional(EffortSchema),
	limits: LimitsSchema,
	/** The system prompt as every request of this agent carries it. */
	system: v.optional(text, ""),
	/** Stands in place of the built-in prompt. */
	systemPrompt: optional(text),
	/** Follows the prompt, built-in or not. */
	appendSystemPrompt: optional(text),
	/** The text of the JSON Schema that its answer has to fit. */
	jsonSchema: optional(text),
	/** The git worktree that was made for it. */
	worktree: optional(OwnWorktreeSchema),
	/** What it found where it began, in a line. */
	surroundings: optional(text),
	/** Its role, what that tells it, the file that defines it, and what of that file has no effect. */
	role: optional(text),
	rolePrompt: optional(text),
	roleFile: optional(text),
	roleNotices: optional(listOf(text)),
	/** What files of the project and the user tell the agent, as its prompt has it. */
	instructions: optional(text),
	/** The files that it is of. */
	instructionFiles: optional(listOf(v.object({ path: text, bytes: number }))),
	/** It and all below it are told nothing of such files. */
	withoutInstructions: optional(v.literal(true)),
	/** What its commands may touch; absent: what the user may. */
	sandbox: optional(ConfinementSchema),
	/** How it, and all below it, is asked about more than the run; absent: as the run. */
	asking: optional(NarrowingSchema),
	/** The share of the model's window, 0 to 1, at which its history is compacted; absent: the usual share. */
	compactAt: optional(number),
	/** The model's context window, where it is known. */
	windowTokens: optional(number),
	joinedAt: time,
	endedAt: optional(time),
	ending: optional(EndingSchema),
	turns: optional(number),
	commands: optional(number),
	usage: optional(UsageSchema),
	costUsd: optional(CostSchema),
});
export type AgentFile = v.InferOutput<typeof AgentFileSchema>;

/** .lock.N: the supervisor that holds the run. */
export const LockOwnerSchema = v.object({
	pid,
	startTime: text,
	/** The pid namespace in which the pid counts: `pid:[4026531836]`; null where there are none. */
	pidNamespace: v.nullable(text),
});
export type LockOwner = Readonly<v.InferOutput<typeof LockOwnerSchema>>;

/** A line of the user's file of grants: a person's yes to what the rule names, in this and all later runs of a project. */
export const ProjectGrantSchema = v.object({
	/** The root of the project, without links. */
	project: text,
	/** As a rule is written: `Bash(npm run test *)`. */
	rule: text,
	at: time,
	/** The run in which it was given. */
	run: text,
});
export type ProjectGrant = Readonly<v.InferOutput<typeof ProjectGrantSchema>>;

/** A file as it was when the person was asked. `path`: as it was looked for. `digest`: SHA-256 of what is used of it. */
const AnsweredFileSchema = v.object({ path: text, digest: text });
export type AnsweredFile = Readonly<v.InferOutput<typeof AnsweredFileSchema>>;

/** A file of the state directory: what a person has answered about the files of one project that tell agents something. */
export const TrustFileSchema = v.object({
	/** The root of the project, without links. */
	project: text,
	trusted: listOf(AnsweredFileSchema),
	refused: listOf(AnsweredFileSchema),
	answeredAt: time,
});
export type TrustFile = Readonly<v.InferOutput<typeof TrustFileSchema>>;
