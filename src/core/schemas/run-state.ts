/** The tree that everyone shows, with what is known of each agent, as core/run/run-state.ts makes it from the events; a watcher is sent it. */
import * as v from "valibot";
import { SCARCE_RESOURCES } from "../limits/shortage.ts";
import { CommandEndSchema, CommandStartSchema, EndingSchema, LeftProcessSchema } from "./command.ts";
import { LimitsSchema } from "./limits.ts";
import { EffortSchema } from "./message.ts";
import { KnownWorktreeSchema } from "./own-worktree.ts";
import { AskingSchema, GrantSchema, QuestionSchema, RunningOutsideSchema } from "./question.ts";
import {
	agentId,
	CostSchema,
	exitStatus,
	listOf,
	number,
	oneOf,
	optional,
	readonly,
	text,
	time,
	UsageSchema,
} from "./values.ts";

const AgentStateSchema = readonly(
	oneOf("is", [
		/** The agent waits for a slot, or for what `reason` names. */
		v.object({ is: v.literal("queued"), since: time, reason: optional(text) }),
		v.object({
			is: v.literal("thinking"),
			since: time,
			turn: number,
			purpose: optional(v.literal("compaction")),
			/** The call failed at `since`: attempt number `attempt` is made at `nextAt`. */
			retry: optional(readonly(v.object({ attempt: number, nextAt: time, reason: text, since: optional(time) }))),
		}),
		v.object({ is: v.literal("running"), since: time }),
		v.object({ is: v.literal("waiting"), since: time }),
		/** The root of a conversation, between its answers: it waits for a message. `reason`: why it gave none, if it did not. */
		v.object({ is: v.literal("listening"), since: time, reason: optional(text) }),
		v.object({ is: v.literal("ended"), at: time, ending: EndingSchema }),
	]),
);
export type AgentState = v.InferOutput<typeof AgentStateSchema>;

const RunningCommandSchema = readonly(
	v.object({
		...v.omit(CommandStartSchema, ["startTime"]).entries,
		since: time,
		/** The number of living child agents that the command has started. */
		children: number,
	}),
);
export type RunningCommand = v.InferOutput<typeof RunningCommandSchema>;

/** A message that its agent has not got yet. */
const WaitingMessageSchema = readonly(
	v.object({
		/** The agent that has sent it; null for a person. */
		from: v.nullable(agentId),
		text,
		at: time,
	}),
);
export type WaitingMessage = v.InferOutput<typeof WaitingMessageSchema>;

const PauseSchema = readonly(
	v.object({
		/** The agent that was paused, with all below it. */
		by: agentId,
		since: time,
		/** The agent that has paused it; null for a person. */
		from: v.nullable(agentId),
		/** Its commands are frozen, too. */
		isHard: optional(v.literal(true)),
	}),
);
export type Pause = v.InferOutput<typeof PauseSchema>;

const TalkedSchema = readonly(
	v.object({
		/** Its turns before a person's newest message. */
		turnsBefore: number,
		/** How long it has worked, and since when it works now. */
		workedMs: number,
		workingSince: optional(time),
		/** The newest state of its files that was kept for a message. */
		keptTree: optional(number),
	}),
);

const ModelSpendingSchema = readonly(v.object({ model: text, usage: UsageSchema, costUsd: CostSchema }));
export type ModelSpending = v.InferOutput<typeof ModelSpendingSchema>;

/** One item of the plan that an agent keeps. */
export const TodoItemSchema = v.object({ text, is: v.picklist(["open", "doing", "done"]) });
export type TodoItem = Readonly<v.InferOutput<typeof TodoItemSchema>>;

const AgentSchema = readonly(
	v.object({
		id: agentId,
		pid: number,
		/** Start time as the process table gives it. Pid and start time together never name another process. */
		startTime: text,
		/** The task in one line, cut to 200 characters; the whole is in agent.json. */
		task: text,
		/** A hash of the whole task, equal for tasks that differ in white space and case alone. */
		taskKey: optional(text),
		model: text,
		/** As a person has set it since the agent joined; absent: as it joined, which agent.json has. */
		effort: optional(EffortSchema),
		limits: LimitsSchema,
		role: optional(text),
		/** What its commands may write, in a line; absent for no sandbox. */
		sandbox: optional(text),
		/** The parent's command that started it; absent for the root. */
		command: optional(number),
		joinedAt: time,
		state: AgentStateSchema,
		/** Model calls started; the last call at a limit is not counted. */
		turns: number,
		commands: number,
		running: listOf(RunningCommandSchema),
		/** It is paused, whatever its state is; also kept of one that has ended, for when it goes on. */
		paused: optional(PauseSchema),
		/** Of the root of a conversation alone. */
		talked: optional(TalkedSchema),
		/** It has asked a person, and waits; absent: it has not. */
		asking: optional(AskingSchema),
		/** What a person has allowed to run outside of its sandbox, and runs; absent: nothing. */
		outside: optional(listOf(RunningOutsideSchema)),
		/** Messages for its next call, the oldest first; absent: none. */
		messages: optional(listOf(WaitingMessageSchema)),
		/** Its plan; absent: it keeps none. */
		todo: optional(listOf(TodoItemSchema)),
		lastCommandEnd: optional(CommandEndSchema),
		/** How many times in a row, 5 or more, the same command gave the same result; absent after another command. */
		repeats: optional(number),
		/** The agent's last turn brought no answer: when resumed, it repeats that turn under the same number. */
		isUnanswered: optional(v.literal(true)),
		/** It listened when it ended: nothing was under way. */
		hadListened: optional(v.literal(true)),
		/** Tokens of its context after the newest answer, as counted by the service. */
		contextTokens: optional(number),
		/** The model's context window, where it is known. */
		windowTokens: optional(number),
		/** How often its history was compacted. */
		compactions: optional(number),
		usage: UsageSchema,
		costUsd: CostSchema,
		/** The same by model, of one that has had several; absent: all of it is its model's. */
		spentBy: optional(listOf(ModelSpendingSchema)),
	}),
);
export type Agent = v.InferOutput<typeof AgentSchema>;

const ShortageSchema = readonly(v.object({ what: v.picklist(SCARCE_RESOURCES), reason: text }));

export const RunStateSchema = readonly(
	v.object({
		run: text,
		task: text,
		cwd: text,
		model: text,
		limits: LimitsSchema,
		pid: number,
		startTime: text,
		startedAt: time,
		/** What a person calls it; absent: nothing. */
		name: optional(text),
		/** Its root waits for a person between its answers. */
		isConversation: optional(v.literal(true)),
		/** No sandbox, and nobody is asked before a command. */
		skipsPermissions: optional(v.literal(true)),
		/** Why commands are in no sandbox, where nobody has turned it off. */
		noSandbox: optional(text),
		agents: readonly(v.record(agentId, AgentSchema)),
		refused: number,
		/** Those that wait for a person, the oldest first. */
		questions: optional(listOf(QuestionSchema)),
		/** The newest of those that nobody waits for any more, and nobody has answered. */
		lapsedQuestions: optional(listOf(QuestionSchema)),
		/** The highest number of a question so far. */
		questionsAsked: optional(number),
		grants: optional(listOf(GrantSchema)),
		/** How many commands have been started outside of a sandbox. */
		outsideRuns: optional(number),
		/** Why the run is being stopped. */
		stopping: optional(text),
		/** Agents at or below which nothing may start any more. */
		closed: listOf(agentId),
		/** What there is too little of now. */
		shortages: listOf(ShortageSchema),
		/** The newest time that the service asked for fewer calls: none until then, `maxCalls` after it. */
		slowed: optional(readonly(v.object({ reason: text, until: time, maxCalls: number }))),
		/** The git worktrees that were made for its agents; absent: none. */
		worktrees: optional(readonly(v.record(agentId, KnownWorktreeSchema))),
		/** How often it has been resumed. */
		resumes: optional(number),
		ended: optional(
			readonly(
				v.object({
					...{ at: time, ending: EndingSchema, exitCode: exitStatus, survivors: listOf(number) },
					leftRunning: optional(listOf(LeftProcessSchema)),
				}),
			),
		),
	}),
);
export type RunState = v.InferOutput<typeof RunStateSchema>;
