/** Requests to a model, its answers, and what a model is. */

export type { ContextFull, ModelDelta } from "../schemas/message.ts";

import type { Effort } from "../effort.ts";
import type { ContextFull, ModelDelta } from "../schemas/message.ts";
import type { AgentId } from "./agent.ts";
import type { AssistantBlock, Message, Tool } from "./message.ts";
import type { Usage } from "./usage.ts";

/** `last`: the call that reports at a limit, without tools. `compaction`: a summary of older rounds; no turn. */
export type AskKind = "turn" | "last" | "compaction";

export interface ModelRequest {
	system: string;
	tools: readonly Tool[];
	messages: Message[];
	/** False in the last call at a limit. The tools stay in the request: they must stay byte-equal for the cache. */
	mayUseTools: boolean;
	effort?: Effort;
	/** Tokens of the answer at most; absent: the model's own bound. */
	maxTokens?: number;
}

export interface ModelReply {
	is: "reply";
	content: AssistantBlock[];
	/** `end_turn`, `tool_use`, `max_tokens`, …, or one that the service has introduced since. */
	stopReason: string;
	/** The service's explanation of the stop; given for a refusal. */
	stopWords?: string;
	usage: Usage;
	/** The model that answered, by the service's name. */
	model: string;
	requestId?: string;
	/** The service's id of the message. */
	messageId?: string;
	/** A file whose bytes are the answer, for a model that answers with what a command printed; `content` has it as UTF-8. */
	output?: string;
}

export interface ModelFailure {
	is: "failure";
	/** One line for people, with the service's own words. */
	reason: string;
	exitCode: 1 | 75 | 77;
	/** What the service reported before it failed. */
	usage: Usage;
	/** A file whose bytes are the answer so far, as in a reply. */
	output?: string;
	/**
	 * The same request may succeed later. `afterMs`: the wait that the service asks for. `isRateLimit`: too many calls.
	 * `isUnreached`: nobody was there, under this name and address, to take the call.
	 */
	retry?: { afterMs?: number; isRateLimit: boolean; isUnreached?: true };
	/**
	 * No agent of the run can continue: the key is refused, or there is no credit. `unless_answered`: only if the service has
	 * answered no call with this key, else it refuses what this one agent asks for.
	 */
	stopsRun?: true | "unless_answered";
	/** The prompt is longer than the model's context. */
	contextFull?: ContextFull;
	/** An invalid request for an unknown reason: with a prompt near the model's window, it counts as longer than that. */
	mayBeFull?: true;
	/** The service has no such model. */
	isModelGone?: true;
	/** The service refuses the thinking blocks of the request: without them the same request may be answered. */
	refusesThinking?: true;
}

export type ModelOutcome = ModelReply | ModelFailure;

/** The rest of one of the service's rate limits, and when it is full again. `tokens`: input and output. */
export interface RateLimit {
	what: "requests" | "tokens" | "input" | "output";
	remaining: number;
	/** Milliseconds from now until the limit is full again. */
	resetMs: number;
}

/** True for two pieces of the same kind in the same block. */
export function isSamePiece(a: ModelDelta, b: ModelDelta): boolean {
	return a.kind === b.kind && a.block === b.block;
}

export interface ModelCall {
	agent: AgentId;
	/** The agent's whole task. */
	task: string;
	/** 1 for the agent's first call. */
	turn: number;
	/** 1 for the first try of this call. */
	attempt: number;
	kind: AskKind;
	/** What a person has said to the root of a conversation since its call before; the request ends with it, too. */
	said?: readonly string[];
	signal: AbortSignal;
	/** Called when the service begins to answer, with the rest of its rate limits. */
	onAccepted: (limits: readonly RateLimit[]) => void;
	onDelta: (delta: ModelDelta) => void;
	/** The output of the agent's newest command; undefined before any command. */
	lastOutput: () => Promise<LastOutput | undefined>;
}

export interface LastOutput {
	/** The file with its raw bytes. */
	path: string;
	/** The file's text as UTF-8, cut at 8 MiB with a line that says so. */
	text: string;
	/** The size of what the command printed; `keptBytes`: of what the file has. */
	printedBytes: number;
	keptBytes: number;
	exitCode: number | undefined;
}

export interface Model {
	/** The name by which it was asked for: `claude-sonnet-5-5`, `shell`, `script:demo.yaml`. */
	readonly name: string;
	/** The service that its calls go to, and that counts them: they pass its rate limiter. Absent: they go to none. */
	readonly service?: string;
	/** Never rejects; an aborted call gives a failure, with what the service had reported of its usage. */
	ask(request: ModelRequest, call: ModelCall): Promise<ModelOutcome>;
	/** Frees connections, so that the process can exit at once. */
	close(): void;
}

/** How long a run waits for a service that is slow, silent or busy. Milliseconds. */
export interface RetryPolicy {
	/** The longest silence before the first event of an answer and between two; pings do not count. */
	readonly maxSilenceMs: number;
	/** From the first failure of a call until it is given up, all waits included. */
	readonly retryTimeMs: number;
	/** The most that the first wait before a retry may be; the waits double from there. */
	readonly retryWaitMs: number;
}

export const DEFAULT_RETRY_POLICY: RetryPolicy = { maxSilenceMs: 90_000, retryTimeMs: 600_000, retryWaitMs: 1_000 };

/** The share of a model's context at which an agent's older messages are replaced, unless `--compact-at` says otherwise. */
export const DEFAULT_COMPACT_AT = 0.8;
