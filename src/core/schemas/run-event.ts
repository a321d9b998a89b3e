/** What can happen in a run; one line of events.jsonl each. */
import * as v from "valibot";
import { SCARCE_RESOURCES } from "../limits/shortage.ts";
import { CommandEndSchema, CommandStartSchema, EndingSchema, LeftProcessSchema } from "./command.ts";
import { LimitsSchema } from "./limits.ts";
import { EffortSchema } from "./message.ts";
import { keptEntries, ownWorktreeEntries } from "./own-worktree.ts";
import { AnswerSchema, AskedSchema } from "./question.ts";
import { OriginSchema } from "./run-files.ts";
import { TodoItemSchema } from "./run-state.ts";
import {
	agentId,
	CostSchema,
	exitStatus,
	listOf,
	logPath,
	number,
	oneOf,
	optional,
	pid,
	text,
	time,
	UsageSchema,
} from "./values.ts";

function event<const E extends string, const T extends v.ObjectEntries>(name: E, entries: T) {
	return v.object({ event: v.literal(name), at: time, ...entries });
}

const processEntries = { pid, startTime: text };
const turnEntries = { agent: agentId, turn: number };
const chargeEntries = { usage: UsageSchema, costUsd: CostSchema };
/** What the call was made for; absent for a turn. */
const purpose = optional(v.literal("compaction"));

/** The root waits for a person between its answers. */
const isConversation = optional(v.literal(true));
/** No sandbox, and nobody is asked before a command: a person said so when the run was started, or went on. */
const skipsPermissions = optional(v.literal(true));

/** Why commands are in no sandbox, where nobody has turned it off. */
const noSandbox = optional(text);

export const RUN_EVENTS = [
	event("run_started", {
		...{ run: text, task: text, cwd: text, model: text, limits: LimitsSchema, ...processEntries },
		/** The version of agentree that the supervisor is of. */
		version: v.optional(text, ""),
		origin: optional(OriginSchema),
		isConversation,
		...{ skipsPermissions, noSandbox },
	}),
	/** A run that was over goes on, with a new supervisor. */
	event("run_resumed", {
		/** Absent: the model, and the directory, stay as they were. */
		...{ model: optional(text), cwd: optional(text) },
		...{ limits: LimitsSchema, ...processEntries, version: v.optional(text, ""), origin: optional(OriginSchema) },
		isConversation,
		...{ skipsPermissions, noSandbox },
	}),
	/** A person has given the run a name; an empty one takes it away. */
	event("run_named", { name: text }),
	/** The run is a copy of the run `from`, which has spent all that stands above. */
	event("run_forked", { run: text, from: text }),
	/** An agent that was over goes on with its own history, in a new process. */
	event("agent_resumed", {
		agent: agentId,
		/** Absent: the model stays as it was. */
		model: optional(text),
		...{ ...processEntries, limits: LimitsSchema },
		/** The model's context window, where it is known. */
		windowTokens: optional(number),
		/** The parent's command that started it again. */
		command: optional(number),
		sandbox: optional(text),
	}),
	event("agent_joined", {
		...{ agent: agentId, ...processEntries },
		/** The task in one line, cut to 200 characters. */
		task: text,
		/** A hash of the whole task, its white space collapsed, in lower case. */
		taskKey: optional(text),
		...{ model: text, limits: LimitsSchema },
		role: optional(text),
		/** What its commands may write, in a line; absent for no sandbox. */
		sandbox: optional(text),
		/** The model's context window, where it is known. */
		windowTokens: optional(number),
		/** The parent's command that started it. */
		command: optional(number),
	}),
	event("child_refused", { parent: v.nullable(agentId), code: text, reason: text, task: text }),
	/** The agent asked for a turn and waits for a slot; with a `reason` it waits for what that names. */
	event("turn_queued", { agent: agentId, reason: optional(text) }),
	event("turn_started", { ...turnEntries, isLast: v.boolean(), purpose }),
	/** A call broke and is made again after a while, for the `attempt`th time. The text that had streamed is void. */
	event("turn_retrying", { ...turnEntries, attempt: number, waitMs: number, reason: text, ...chargeEntries }),
	/** A call under way was ended from our side; it may come after the agent's ending. */
	event("turn_cancelled", { ...turnEntries, ...chargeEntries }),
	/** The service asked for fewer calls: none is made for a while, then `maxCalls` at once. */
	event("calls_slowed", { reason: text, waitMs: number, maxCalls: number }),
	/** So much of a budget is spent that the agent was told. */
	event("budget_noticed", { agent: agentId, reason: text }),
	/** The agent and all below it get no call until they are let go on. `from`: an agent, or null for a person. */
	event("agent_paused", { agent: agentId, from: v.nullable(agentId), isHard: optional(v.literal(true)) }),
	/** They go on; if an agent lets them, without what a person has paused. */
	event("agent_continued", { agent: agentId, from: v.nullable(agentId) }),
	/** Somebody has sent the agent a message, which waits for its next call. `from`: an agent, or null for a person. */
	event("message_sent", { agent: agentId, from: v.nullable(agentId), text }),
	/** The agent's call that is made now carries the oldest `messages` of those that waited. */
	event("message_delivered", { agent: agentId, messages: number }),
	/** A person has taken the newest message back that waited for the agent. */
	event("message_withdrawn", { agent: agentId, text }),
	/** The agent has ended before a message reached it; one that is resumed gets it then. `text`: in one line, cut to 200 characters. */
	event("message_unheard", { agent: agentId, from: v.nullable(agentId), text }),
	/** The root of a conversation waits for a message: it has answered, was interrupted, or gave no answer for a `reason`. */
	event("agent_listening", { agent: agentId, reason: optional(text) }),
	/** What the agent did was ended, and it lives on. `from`: null for a person. */
	event("agent_interrupted", { agent: agentId, from: v.nullable(agentId) }),
	/**
	 * A person has changed what the agent works with, from its next call on, or another model has taken over for a `reason`, or the
	 * service has told in a `reason` that the context is smaller than was known.
	 */
	event("agent_changed", {
		reason: optional(text),
		...{ agent: agentId, model: optional(text), effort: optional(EffortSchema), limits: optional(LimitsSchema) },
		/** Of the new model, where it is known; without a new model that of the one it has. */
		windowTokens: optional(number),
	}),
	/** The state `id` of the files below `top` is kept, before the first command after a message of a person. `notice`: what is not. */
	event("tree_kept", { agent: agentId, id: number, top: text, tookMs: number, notice: optional(text) }),
	/** It is not kept: what follows the message cannot be undone. */
	event("tree_not_kept", { agent: agentId, reason: text }),
	/** A git worktree is made for the agent, or it works again in that which it had. */
	event("worktree_begun", { agent: agentId, ...ownWorktreeEntries }),
	/** The agent has ended, and its worktree stays. */
	event("worktree_kept", { agent: agentId, ...keptEntries }),
	/** The worktree is gone, with its branch: nothing was in it that would be lost, or it could not be made. */
	event("worktree_removed", { agent: agentId }),
	/** A question beside the agent's conversation was answered, or called off; it was no turn. */
	event("aside_ended", { agent: agentId, ...chargeEntries }),
	/** The agent has changed its plan; an empty list: it keeps none any more. */
	event("todo_changed", { agent: agentId, items: listOf(TodoItemSchema) }),
	/** The agent asks a person, and waits. `question`: its number in the run. `why`: the reason that the agent gives. */
	event("question_asked", { agent: agentId, question: number, what: AskedSchema, why: optional(text) }),
	/** A person has answered; the first answer counts. */
	event("question_answered", { agent: agentId, question: number, answer: AnswerSchema }),
	/** The agent wanted to ask, and no person can be asked in this run: it was told so at once. */
	event("question_refused", { agent: agentId, what: AskedSchema, why: optional(text) }),
	/** Nobody waits for an answer any more, for that reason; there was none. */
	event("question_withdrawn", { agent: agentId, question: number, reason: text }),
	/**
	 * A person allows the agent, and all below it, what the rule names, as long as the run lasts. `outsideIn`: outside of the sandbox, in
	 * that directory.
	 */
	event("grant_given", { agent: agentId, rule: text, outsideIn: optional(text) }),
	/**
	 * A command of the agent has started outside of its sandbox or, with `write` or `hosts`, in there with these besides: a person's yes to
	 * `question`, or one of before for always. `text`: all of it.
	 */
	event("outside_started", {
		...{ agent: agentId, outside: number, question: optional(number), text, directory: text },
		...{ write: optional(listOf(text)), hosts: optional(listOf(text)), ...processEntries, log: logPath },
	}),
	event("outside_ended", {
		...{ agent: agentId, outside: number, end: CommandEndSchema, outputBytes: number },
		leftRunning: listOf(LeftProcessSchema),
	}),
	/** Older rounds of the agent's history were replaced. Both counts are tokens of its context. */
	event("history_compacted", {
		...{ agent: agentId, how: v.picklist(["summary", "dropped_results"]), tokensBefore: number, tokensAfter: number },
	}),
	event("turn_ended", { ...turnEntries, purpose, stopReason: text, ...chargeEntries }),
	event("turn_failed", { ...turnEntries, purpose, reason: text, ...chargeEntries }),
	event("turn_refused", { agent: agentId, limit: text, reason: text }),
	/** The text of the command is in one line, cut to 500 characters. */
	event("command_started", { agent: agentId, ...CommandStartSchema.entries }),
	event("command_ended", {
		...{ agent: agentId, command: number, end: CommandEndSchema, outputBytes: number },
		leftRunning: listOf(LeftProcessSchema),
	}),
	/** The agent's newest command and its result are the same as those before it, `times` times in a row. */
	event("agent_repeats", { agent: agentId, command: number, times: number }),
	/** The machine, or what the run may have of it, has run low; the run goes on with less. */
	event("shortage_began", { what: v.picklist(SCARCE_RESOURCES), reason: text }),
	event("shortage_ended", { what: v.picklist(SCARCE_RESOURCES) }),
	/** A connection to the run's socket was closed because of what came over it. `agent`: the one that it was of. */
	event("client_refused", {
		...{ agent: optional(agentId), reason: text },
		/** So many more were refused shortly before, without an event. */
		others: optional(number),
	}),
	/** An agent asked the proxy for a host that it may not reach. */
	event("host_refused", {
		...{ agent: agentId, host: text, port: number, reason: text },
		/** So many more were refused to it shortly before, without an event. */
		others: optional(number),
	}),
	/**
	 * A program outside put another file, or directory, at a place that sandboxes keep or hide. `covered`: it is so again for the commands that ran
	 * then; `open`: it could not be; `put_back`: they may have changed it, so it is as before, and what lay there is `kept`; `changed`: it stays.
	 */
	event("place_replaced", {
		...{
			path: text,
			outcome: v.picklist(["covered", "open", "put_back", "changed"]),
			isHidden: optional(v.literal(true)),
		},
		...{ kept: optional(text), hasEnded: optional(v.literal(true)) },
	}),
	event("agent_stopping", { agent: agentId, reason: text }),
	event("agent_ended", { agent: agentId, ending: EndingSchema }),
	event("run_stopping", { reason: text }),
	event("run_ended", {
		...{ ending: EndingSchema, exitCode: exitStatus, survivors: listOf(number) },
		/** With --keep-background: the processes that were left running. */
		leftRunning: optional(listOf(LeftProcessSchema)),
	}),
] as const;

export const RunEventSchema = oneOf("event", RUN_EVENTS);
export type RunEvent = Readonly<v.InferOutput<typeof RunEventSchema>>;
