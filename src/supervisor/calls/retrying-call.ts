/** One model call from its start to its outcome, with all its attempts. Each attempt is charged, and its text streams. */

import type { Timer } from "../../core/clock.ts";
import { defined } from "../../core/defined.ts";
import { AgentreeError } from "../../core/errors.ts";
import { type AgentId, depthOf } from "../../core/model/agent.ts";
import {
	type AskKind,
	isSamePiece,
	type Model,
	type ModelCall,
	type ModelDelta,
	type ModelFailure,
	type ModelOutcome,
	type ModelRequest,
	type RetryPolicy,
} from "../../core/model/model.ts";
import { NO_USAGE, roundDollars, totalTokens, type Usage } from "../../core/model/usage.ts";
import { foldedMiddle } from "../../core/preview.ts";
import { seenIn } from "../../text/safe/keep-secrets.ts";
import { openSecretChars, redact, redactedValue, redactKnown } from "../../text/safe/redact.ts";
import { type Attempts, nextAttempt, type TimeLeft, triedWords } from "./backoff.ts";
import type { RateLimiter } from "./rate-limiter.ts";

/** Each retry is recorded; the last failure is, whole. */
const MAX_RETRY_REASON = 500;

/** A service that calls go to, and what is known of it from all calls of the run. */
export interface CalledService {
	readonly limiter: RateLimiter;
	/** It has answered, well or not. */
	isKnown: boolean;
	/** It has begun to answer a call as it should: the key is good. */
	hasAnswered: boolean;
	/** What it refuses for good ends the run. When false, other agents of the run do without it. */
	readonly isNeeded: () => boolean;
}

/** `service`: absent for a model whose calls go to none. */
export interface OpenModel {
	readonly model: Model;
	readonly service?: CalledService;
}

export interface GatewayCall {
	agent: AgentId;
	/** Tells it apart from the agent's own call; absent for that. */
	key?: string;
	/** When its agent joined, in milliseconds since the epoch. */
	joinedAt: number;
	model: string;
	task: string;
	turn: number;
	kind: AskKind;
	request: ModelRequest;
	/** As in ModelCall. */
	said?: readonly string[];
	/** As in ModelCall. */
	lastOutput: ModelCall["lastOutput"];
	onDelta: (delta: ModelDelta) => void;
	/** Another model would take over. */
	mayFallBack?: boolean;
	/** The time that limits leave the agent; absent without limits. */
	timeLeft?: () => TimeLeft | undefined;
}

/** What an attempt has cost, and the text that it has brought. `costUsd`: null when the price is not known. */
export interface Charge {
	usage: Usage;
	costUsd: number | null;
	partial: string;
}

/** A retry that follows after `waitMs`. `attempt`: 1 for the first retry. */
interface Retrying {
	attempt: number;
	waitMs: number;
	reason: string;
}

/** Told about one call. Each call ends with either `answered` or `cancelled`. */
export interface CallListener {
	/** The call waits until the service takes more, or does so no longer. */
	held(isHeld: boolean): void;
	retrying(retrying: Retrying, charge: Charge): void;
	answered(outcome: ModelOutcome, charge: Charge): void;
	cancelled(charge: Charge): void;
}

export interface CallDeps {
	retryPolicy: RetryPolicy;
	timer: Timer;
	/** Gives a random number from 0 to 1. */
	random: () => number;
	costOf: (model: string, usage: Usage) => number | null;
	/** Called with what a model has thrown, which it should not: a failure is an outcome. */
	onError?: (error: unknown) => void;
}

interface RetryingCallDeps extends CallDeps {
	loading: Promise<OpenModel>;
	listener: CallListener;
}

export class RetryingCall {
	private readonly call: GatewayCall;
	private readonly deps: RetryingCallDeps;
	private readonly since: number;
	private readonly abort = new AbortController();
	/** The text of this attempt so far. */
	private text = "";
	/** The text of the newest earlier attempt that brought any. */
	private textBefore = "";
	private attempts: Attempts | undefined;
	private service: CalledService | undefined;

	constructor(call: GatewayCall, deps: RetryingCallDeps) {
		this.call = call;
		this.deps = deps;
		this.since = deps.timer.elapsed();
	}

	cancel(): void {
		this.abort.abort();
	}

	/** Empty once the call has been answered. */
	get textSoFar(): string {
		return this.text || this.textBefore;
	}

	async make(): Promise<void> {
		const { listener, timer, random, retryPolicy } = this.deps;
		const { signal } = this.abort;
		for (;;) {
			const outcome = await this.attemptOnce();
			const charge = this.charge(outcome);
			if (signal.aborted) return listener.cancelled(charge);
			if (outcome.is === "reply") return this.answered(outcome, charge);
			const pausedMs = outcome.retry?.isRateLimit ? (this.service?.limiter.pausedMs() ?? 0) : 0;
			const next = nextAttempt(this.attempts, outcome, {
				now: timer.elapsed(),
				random: random(),
				retryPolicy,
				pausedMs,
				isKnown: this.service?.isKnown ?? false,
				mayFallBack: this.call.mayFallBack === true,
				...defined({ timeLeft: this.call.timeLeft?.() }),
			});
			if (next.do === "fail") return listener.answered(this.forWhom(outcome), charge);
			if (next.do === "give_up") return listener.answered(withWords(outcome, next.words), charge);
			this.attempts = next.attempts;
			const reason = foldedMiddle(outcome.reason, MAX_RETRY_REASON);
			listener.retrying({ attempt: next.attempts.failed, waitMs: next.waitMs, reason }, charge);
			this.textBefore = this.text || this.textBefore;
			this.text = "";
			await sleep(next.waitMs, timer, signal);
		}
	}

	private answered(outcome: ModelOutcome, charge: Charge): void {
		this.text = "";
		this.textBefore = "";
		this.deps.listener.answered(outcome, charge);
	}

	/** A key that has served before is good: what it may not do ends the agent that asks for it, and nobody else. */
	private forWhom(failure: ModelFailure): ModelFailure {
		const { stopsRun, ...own } = failure;
		if (stopsRun === undefined || this.service?.isNeeded() === false) return own;
		return stopsRun === "unless_answered" && this.service?.hasAnswered ? own : { ...own, stopsRun: true };
	}

	/** An attempt that is aborted gives a failure. */
	private async attemptOnce(): Promise<ModelOutcome> {
		const { loading, listener } = this.deps;
		const { signal } = this.abort;
		try {
			const { model, service } = await loading;
			this.service = service;
			if (service === undefined) return await this.ask(model, () => {});
			const { limiter } = service;
			const { agent, joinedAt } = this.call;
			listener.held(true);
			const permission = await limiter.take({ depth: depthOf(agent), joinedAt, since: this.since }, signal);
			listener.held(false);
			if (permission.is === "withdrawn") return failure("the call was stopped");
			if (permission.is === "expired") return this.expired(permission.reason);
			const { id } = permission;
			const outcome = await this.ask(model, (limits) => {
				service.isKnown = true;
				service.hasAnswered = true;
				limiter.accepted(id, limits);
			});
			if (outcome.is === "failure" && outcome.retry?.isRateLimit)
				limiter.refused(id, foldedMiddle(outcome.reason, MAX_RETRY_REASON), outcome.retry.afterMs);
			if (!signal.aborted && !isUnreached(outcome)) service.isKnown = true;
			limiter.over(id, outcome.is === "reply" ? outcome.usage : undefined);
			return outcome;
		} catch (error) {
			return this.thrown(error);
		}
	}

	/** Never rejects, so that each permit ends. */
	private async ask(model: Model, onAccepted: ModelCall["onAccepted"]): Promise<ModelOutcome> {
		const { agent, task, turn, kind, request, lastOutput, said } = this.call;
		const { signal } = this.abort;
		if (signal.aborted) return failure("the call was stopped");
		const attempt = (this.attempts?.failed ?? 0) + 1;
		const pieces = redactedPieces((delta) => {
			if (signal.aborted) return;
			if (delta.kind === "text") this.text += delta.text;
			this.call.onDelta(delta);
		});
		const onDelta = (piece: ModelDelta) => pieces.take(piece);
		const call = {
			...{ agent, task, turn, attempt, kind, signal, onAccepted, onDelta, lastOutput },
			...defined({ said }),
		};
		const outcome = await model.ask(request, call).catch((error: unknown) => this.thrown(error));
		pieces.end();
		return redactedOutcome(outcome);
	}

	private thrown(error: unknown): ModelFailure {
		if (!this.abort.signal.aborted) this.deps.onError?.(error);
		return failureOf(error);
	}

	/** The outcome of a call that got no permit in the whole retry time. */
	private expired(refusal: string): ModelFailure {
		const { failed = 0, firstFailureAt = this.since } = this.attempts ?? {};
		const words = triedWords(failed, this.deps.timer.elapsed() - firstFailureAt) || "waited too long for the service";
		return { ...failure(`${refusal}; ${words}`), exitCode: 75 };
	}

	/** An attempt that used no tokens costs nothing, even when the price is not known. */
	private charge(outcome: ModelOutcome): Charge {
		const { usage } = outcome;
		const { costOf } = this.deps;
		const partial = this.text;
		if (usage.uncounted !== undefined) return { usage, costUsd: null, partial };
		if (totalTokens(usage) === 0) return { usage, costUsd: 0, partial };
		const model = outcome.is === "reply" ? outcome.model : this.call.model;
		const costUsd = costOf(model, usage) ?? costOf(this.call.model, usage);
		return { usage, costUsd: costUsd === null ? null : roundDollars(costUsd), partial };
	}
}

function isUnreached(outcome: ModelOutcome): boolean {
	return outcome.is === "failure" && outcome.retry?.isUnreached === true;
}

function withWords(outcome: ModelFailure, words: string): ModelFailure {
	return words === "" ? outcome : { ...outcome, reason: `${outcome.reason}; ${words}` };
}

function failure(reason: string): ModelFailure {
	return { is: "failure", reason, exitCode: 1, usage: NO_USAGE };
}

/** The failure of a call whose model cannot be opened, or has a bug. */
function failureOf(error: unknown): ModelFailure {
	const exitCode = error instanceof AgentreeError && error.exitCode === 77 ? 77 : 1;
	return { ...failure(error instanceof Error ? error.message : String(error)), exitCode };
}

/** Resolves early when the signal is aborted. */
function sleep(ms: number, timer: Timer, signal: AbortSignal): Promise<void> {
	return new Promise((resolve) => {
		if (signal.aborted) return resolve();
		const wake = () => {
			callOff();
			signal.removeEventListener("abort", wake);
			resolve();
		};
		const callOff = timer.after(ms, wake);
		signal.addEventListener("abort", wake, { once: true });
	});
}

/** A service may repeat a secret in its words: a gateway's error that has the headers of the request. */

/** The outcome without secrets. Thinking is never altered: the service would refuse it. */
export function redactedOutcome(outcome: ModelOutcome): ModelOutcome {
	if (outcome.is === "failure") return { ...outcome, reason: redact(outcome.reason) };
	const { content: said, usage, output, ...words } = outcome;
	const content = said.map((block) =>
		block.type === "text" || block.type === "tool_use" ? redactedValue(block) : block,
	);
	return { ...redactedWords(words), content, usage, ...defined({ output }) };
}

/** Whatever else a service tells, such as a stop reason of its own, may be shown. */
function redactedWords<T extends object>(words: T): T {
	const redacted = Object.entries(words).map(([name, word]) => [name, typeof word === "string" ? redact(word) : word]);
	return Object.fromEntries(redacted);
}

/** The pieces of an answer while it streams, redacted although a secret may come in several of them. */
interface RedactedPieces {
	take(piece: ModelDelta): void;
	/** To be called after the last piece. */
	end(): void;
}

const MOST_HELD = 10_000;

/** What may be the beginning of a secret is held back until more has come, or another block begins. */
export function redactedPieces(emit: (piece: ModelDelta) => void): RedactedPieces {
	let held: ModelDelta | undefined;
	const end = () => {
		if (held !== undefined) emit({ ...held, text: redactKnown(held.text) });
		held = undefined;
	};
	return {
		end,
		take: (piece) => {
			if (held !== undefined && !isSamePiece(held, piece)) end();
			const text = redactKnown((held?.text ?? "") + piece.text);
			const open = openSecretChars(text);
			const kept = open > MOST_HELD ? seenIn(text.slice(-open)).seen : text.slice(-open); // else what is not shown fills the memory
			held = open === 0 ? undefined : { ...piece, text: kept };
			if (open < text.length) emit({ ...piece, text: text.slice(0, text.length - open) });
		},
	};
}
