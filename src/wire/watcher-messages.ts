/** The messages between a supervisor and a watcher: a dashboard or another command of the program. */
import * as v from "valibot";
import { MAX_MESSAGE_CHARS, MAX_TYPED_CHARS } from "../core/model/message-marks.ts";
import { MAX_NAME_CHARS } from "../core/run/run-id.ts";
import { ChangedLimitsSchema, LimitsSchema } from "../core/schemas/limits.ts";
import { EffortSchema, ModelDeltaSchema } from "../core/schemas/message.ts";
import { AnswerSchema } from "../core/schemas/question.ts";
import { RunEventSchema } from "../core/schemas/run-event.ts";
import { RunStateSchema, TodoItemSchema } from "../core/schemas/run-state.ts";
import {
	agentId,
	CostSchema,
	count,
	listOf,
	number,
	oneOf,
	optional,
	signal,
	text,
	time,
	UsageSchema,
} from "../core/schemas/values.ts";
import { shortText } from "./bounded-text.ts";
import { CopyRecordSchema, OUTSIDE_ANSWERS, OutsideReadySchema, RunOutsideSchema } from "./outside-messages.ts";

const MAX_REASON_CHARS = 200;
const MAX_KEEP_CHARS = 4_000;
/** Of the items of a plan, which is shorter itself. */
const MAX_LIST = 1_000;
const MAX_ITEM_CHARS = 10_000;

const itemTexts = v.pipe(listOf(v.pipe(text, v.maxLength(MAX_ITEM_CHARS))), v.maxLength(MAX_LIST));
const itemNumbers = v.pipe(listOf(count), v.maxLength(MAX_LIST));

const MAX_CHOICES = 20;
const MAX_CHOICE_CHARS = 200;
const questionText = v.pipe(text, v.regex(/\S/), v.maxLength(MAX_MESSAGE_CHARS));
const choiceText = v.pipe(text, v.regex(/\S/), v.maxLength(MAX_CHOICE_CHARS));

/** As in events; "always" and "project" without their rule allow the one that the question names. */
const GivenAnswerSchema = v.variant("is", [
	v.object({ is: v.literal("allow") }),
	v.object({ is: v.picklist(["always", "project"]) }),
	v.object({ is: v.picklist(["no", "stop"]), words: optional(questionText) }),
	v.object({ is: v.literal("words"), text: questionText }),
]);
export type GivenAnswer = v.InferOutput<typeof GivenAnswerSchema>;

/** As `TodoChange` of core/todo.ts. */
const TodoChangeSchema = v.variant("do", [
	v.object({ do: v.picklist(["list", "clear"]) }),
	v.object({ do: v.picklist(["set", "add"]), items: itemTexts }),
	v.object({ do: v.picklist(["open", "doing", "done"]), numbers: itemNumbers }),
]);

const DIGEST_CHARS = 64; // SHA-256 in hexadecimal

/** The answer to `challenge`. `digest`: as `proofOf` makes it. */
const ProofSchema = v.object({ say: v.literal("proof"), digest: v.pipe(text, v.length(DIGEST_CHARS)) });
export type Proof = v.InferOutput<typeof ProofSchema>;

export const FROM_WATCHER = [
	ProofSchema,
	/**
	 * At most once. `activity`: the watcher wants those messages, too, which one of before would not understand. `talks`: at it a person
	 * talks with the root of a conversation; it gets `talkers`, too.
	 */
	v.object({ say: v.literal("watch"), activity: optional(v.literal(true)), talks: optional(v.literal(true)) }),
	/** Streams the pieces of this agent's answers, too; null for none. */
	v.object({ say: v.literal("focus"), agent: v.nullable(agentId) }),
	/**
	 * Stops the agent and all below it. `isHurry`: at once, without a grace. Answered by `stopped` when it is done; a
	 * stop of the root by the end of the run.
	 */
	v.object({
		...{ say: v.literal("stop_agent"), agent: agentId, signal, isHurry: v.boolean() },
		reason: v.pipe(text, v.maxLength(MAX_REASON_CHARS)),
	}),
	/** A message for the agent's next call. Answered by `sent`. From inside the tree at most MAX_MESSAGE_CHARS. */
	v.object({
		...{ say: v.literal("send"), agent: agentId },
		text: v.pipe(text, v.regex(/\S/), v.maxLength(MAX_TYPED_CHARS)),
	}),
	/** Pauses the agent and all below it. `isHard`: freezes their commands, too. Answered by `paused` when that is done. */
	v.object({ say: v.literal("pause"), agent: agentId, isHard: v.boolean() }),
	/** Answered by `continued`. */
	v.object({ say: v.literal("continue"), agent: agentId }),
	/** Ends what the root of a conversation does now; it lives on, and listens. Answered by `interrupted`. */
	v.object({ say: v.literal("interrupt"), agent: agentId }),
	/** Takes the newest message of a person back that waits for the agent. Answered by `withdrawn`. */
	v.object({ say: v.literal("withdraw"), agent: agentId }),
	/** Changes the plan of the agent in whose command the client is. Answered by `todo`. */
	v.object({ say: v.literal("todo"), change: TodoChangeSchema }),
	/**
	 * The agent in whose command the client is asks a person, and waits as long as it stays connected. Answered by `asked`, then
	 * `answered` or `unanswered`.
	 */
	v.object({
		...{ say: v.literal("question"), text: questionText },
		choices: optional(v.pipe(listOf(choiceText), v.minLength(1), v.maxLength(MAX_CHOICES))),
		why: optional(questionText),
	}),
	RunOutsideSchema,
	OutsideReadySchema,
	CopyRecordSchema,
	/** A person answers. Answered by `answer_taken`. */
	v.object({ say: v.literal("answer"), question: count, answer: GivenAnswerSchema }),
	/** What the run is called from now on; empty: nothing. Answered by `named`. */
	v.object({ say: v.literal("name"), name: v.pipe(text, v.maxLength(MAX_NAME_CHARS)) }),
	/** Ends a conversation whose root listens, with its last answer. Answered by the end of the run. */
	v.object({ say: v.literal("close") }),
	/**
	 * The terminal is gone at which a person talked: unless one talks at another, the conversation ends, with its last answer where it
	 * waits, else as by a stop. Answered by the end of the run, if it ends.
	 */
	v.object({ say: v.literal("hang_up"), reason: v.pipe(text, v.maxLength(MAX_REASON_CHARS)), signal }),
	/**
	 * What the root of a conversation works with from its next call on; what is absent stays. `startedIn`: the directory in which
	 * a file in the model's name is looked for. Answered by `changed`.
	 */
	v.object({
		...{ say: v.literal("change"), agent: agentId, model: optional(shortText), startedIn: optional(shortText) },
		...{ effort: optional(EffortSchema), limits: optional(ChangedLimitsSchema) },
	}),
	/** Replaces older rounds of the root of a conversation, which listens, by a summary. `keep`: what has to be in it. Answered by `compacting`. */
	v.object({ say: v.literal("compact"), agent: agentId, keep: optional(v.pipe(text, v.maxLength(MAX_KEEP_CHARS))) }),
	/** A question beside the conversation, which leaves nothing in it. Answered by `aside_delta`s and `aside_answer`. */
	v.object({
		...{ say: v.literal("aside"), agent: agentId },
		text: v.pipe(text, v.regex(/\S/), v.maxLength(MAX_MESSAGE_CHARS)),
	}),
	/** What fills the context of the root of a conversation. Answered by `context`. */
	v.object({ say: v.literal("context"), agent: agentId }),
] as const;

export const FromWatcherSchema = oneOf("say", FROM_WATCHER);
export type FromWatcher = v.InferOutput<typeof FromWatcherSchema>;
/** Whether the supervisor would take the message: one that it does not closes the connection. */
export function isWellFormed(message: FromWatcher): boolean {
	return v.is(FromWatcherSchema, message);
}
/** What a watcher asks to be done; each is answered once. */
export type ActRequest = Extract<FromWatcher, { say: "stop_agent" | "send" | "pause" | "continue" }>;
/** A person answers what an agent asks. */
export type AnswerRequest = Extract<FromWatcher, { say: "answer" }>;
/** What a person in a conversation asks for. */
export type TalkRequest = Extract<
	FromWatcher,
	{ say: "interrupt" | "withdraw" | "close" | "hang_up" | "name" | "change" | "compact" | "aside" | "context" }
>;

/** When an agent gets a message: before its next call, and so when what it does now has ended. */
const ARRIVALS = ["next_call", "answer_end", "command_end", "children_end", "pause_end"] as const;
export type Arrival = (typeof ARRIVALS)[number];

/** What an agent does when it is interrupted. `queued`: its call waits. */
const INTERRUPTED_AT = ["thinking", "running", "queued", "listening"] as const;
export type InterruptedAt = (typeof INTERRUPTED_AT)[number];

/** What fills a context, in tokens. The service counts the whole; the parts are estimated by their sizes. */
const ContextSchema = v.object({
	/** The model's window, assumed where it is not known. */
	windowTokens: count,
	/** So full, it is compacted; absent: never before it is full. */
	compactAtTokens: optional(count),
	/** The service has not counted the whole: it is estimated, too. */
	isEstimated: optional(v.literal(true)),
	parts: v.object({
		/** The system prompt, without what files of the project and the user tell. */
		system: count,
		instructions: count,
		tools: count,
		/** What the person, and other agents, have said. */
		messages: count,
		/** What the model has said. */
		answers: count,
		thinking: count,
		/** Commands that the model has written. */
		calls: count,
		/** What commands have printed. */
		results: count,
		/** What stands for older rounds. */
		summary: count,
	}),
});
export type ContextParts = v.InferOutput<typeof ContextSchema>["parts"];
export type ContextUse = v.InferOutput<typeof ContextSchema>;

/** Before a watcher is heard. */
const HANDSHAKE = [
	/** The answer to a person's `hello`: read the file `key`, name your process `name`, and say `proof`. */
	v.object({ say: v.literal("challenge"), key: text, name: text }),
	/** The answer to `proof`. `agent`: the client is inside the tree, in a command of that agent; null for a person. */
	v.object({ say: v.literal("welcome"), agent: v.nullable(agentId) }),
] as const;
export type Handshake = v.InferOutput<(typeof HANDSHAKE)[number]>;

const ActivitySchema = v.object({
	/** When the newest token came, of each answer that got one since the last message. */
	tokens: optional(v.record(agentId, time)),
	/** All whose call waits until the service takes more, and since when. */
	held: optional(v.record(agentId, time)),
	/** The agents that wait for a slot, in the order in which they get one; `length` counts those that do not fit here, too. */
	queue: optional(v.object({ first: v.array(agentId), length: count })),
});
/** What no event tells. A part that is absent is as it was. */
export type ToldActivity = v.InferOutput<typeof ActivitySchema>;

const TO_WATCHER = [
	/** The client may not do what it asked for, or may not be here at all: then the connection is closed behind it. */
	v.object({ say: v.literal("refused"), reason: text }),
	/** The answer to `watch`: the state, then every event after it, without a gap. `within`: of the watcher's own branch alone. */
	v.object({ say: v.literal("snapshot"), state: RunStateSchema, within: optional(agentId) }),
	v.object({ say: v.literal("event"), event: RunEventSchema }),
	/** A piece of an answer of the agent in focus; the first one has all since the turn began. */
	v.object({ say: v.literal("delta"), agent: agentId, turn: number, delta: ModelDeltaSchema }),
	/** For watchers that asked for it: all of it after the snapshot, then at most once a second what has changed. */
	v.object({ say: v.literal("activity"), ...ActivitySchema.entries }),
	/** At how many others a person talks, at first and at each change. */
	v.object({ say: v.literal("talkers"), others: count }),
	/** A line was added to the agent's transcript. */
	v.object({ say: v.literal("recorded"), agent: agentId }),
	v.object({ say: v.literal("stopped"), agent: agentId, survivors: v.array(number) }),
	/** `agents`: how many living agents are paused there; `processes`: of their commands, how many are frozen. */
	v.object({ say: v.literal("paused"), agent: agentId, agents: number, processes: number }),
	/** `agents`: how many living agents go on; 0 when none was paused. */
	v.object({ say: v.literal("continued"), agent: agentId, agents: number }),
	v.object({ say: v.literal("sent"), agent: agentId, arrives: v.picklist(ARRIVALS) }),
	/** `was`: what the agent did; one that listened does so still. */
	v.object({ say: v.literal("interrupted"), agent: agentId, was: v.picklist(INTERRUPTED_AT) }),
	/** The whole plan. */
	v.object({ say: v.literal("todo"), items: listOf(TodoItemSchema) }),
	v.object({ say: v.literal("named"), name: text }),
	/** The question waits for a person. */
	v.object({ say: v.literal("asked"), question: count }),
	v.object({ say: v.literal("answered"), question: count, answer: AnswerSchema }),
	/** Nobody has answered, and nobody will: for the agent, in words. What was asked about was not allowed. */
	v.object({ say: v.literal("unanswered"), reason: text }),
	...OUTSIDE_ANSWERS,
	v.object({ say: v.literal("answer_taken"), question: count, agent: agentId, answer: AnswerSchema }),
	/** `text`: of the message that is taken back. */
	v.object({ say: v.literal("withdrawn"), agent: agentId, text }),
	/** What the agent works with now. */
	v.object({
		...{ say: v.literal("changed"), agent: agentId, model: text, limits: LimitsSchema, effort: optional(EffortSchema) },
	}),
	/** Done when the agent listens again. */
	v.object({ say: v.literal("compacting"), agent: agentId }),
	v.object({ say: v.literal("aside_delta"), agent: agentId, text }),
	/** `text`: the whole answer. `costUsd`: null where the price is not known. */
	v.object({ say: v.literal("aside_answer"), agent: agentId, text, usage: UsageSchema, costUsd: CostSchema }),
	v.object({ say: v.literal("context"), agent: agentId, ...ContextSchema.entries }),
] as const;

export type ToWatcher = v.InferOutput<(typeof TO_WATCHER)[number]>;
export const ToWatcherSchema = oneOf("say", [...HANDSHAKE, ...TO_WATCHER]);

/** A watcher as its supervisor has it. */
export interface Watcher {
	send(message: ToWatcher): void;
	close(): void;
	/** Bytes that are buffered because the other end has not taken them yet. */
	readonly unsentBytes: number;
}
