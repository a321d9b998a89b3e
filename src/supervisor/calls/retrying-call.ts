/** One call from its start to its outcome: it is tried, charged, made again when it breaks, or cancelled, and its text streams. */

import { type AgentId, depthOf } from "../../core/agent.ts";
import type { Timer } from "../../core/clock.ts";
import { roundDollars } from "../../core/dollars.ts";
import { AgentreeError } from "../../core/errors.ts";
import type {
	AskKind,
	Model,
	ModelCall,
	ModelDelta,
	ModelFailure,
	ModelOutcome,
	ModelRequest,
} from "../../core/model.ts";
import type { RetryPolicy } from "../../core/retry-policy.ts";
import { NO_USAGE, totalTokens, type Usage } from "../../core/usage.ts";
import { nextTry, type Tries, triedWords } from "./backoff.ts";
import { type LastCommand, readOutput } from "./last-output.ts";
import type { Permits } from "./permits.ts";

export interface GatewayCall {
	agent: AgentId;
	/** Of the agent, ms since the epoch. */
	joinedAt: number;
	model: string;
	task: string;
	turn: number;
	kind: AskKind;
	request: ModelRequest;
	lastCommand: LastCommand | undefined;
	onDelta: (delta: ModelDelta) => void;
}

/** What a call, or a try of it, has cost, and the text that had come of it. */
export interface Charge {
	usage: Usage;
	costUsd: number | null;
	partial: string;
}

/** `attempt`: 1 for the first time that a call is made again. */
export interface Retrying {
	attempt: number;
	waitMs: number;
	reason: string;
}

/** Each call ends with one of `answered` and `cancelled`. */
export interface CallListener {
	retrying(retrying: Retrying, charge: Charge): void;
	answered(outcome: ModelOutcome, charge: Charge): void;
	cancelled(charge: Charge): void;
}

export interface Progress {
	abort: AbortController;
	/** The text of this try, and that of the newest try before it that had any. */
	text: string;
	textBefore: string;
}

export interface CallTerms {
	retryPolicy: RetryPolicy;
	timer: Timer;
	/** 0 to 1. */
	random: () => number;
	costOf: (model: string, usage: Usage) => number | null;
}

export interface RetryingCallDeps extends CallTerms {
	permits: Permits;
	loading: Promise<Model>;
	listener: CallListener;
}

export class RetryingCall {
	private readonly call: GatewayCall;
	private readonly progress: Progress;
	private readonly deps: RetryingCallDeps;
	private readonly since: number;
	private tries: Tries | undefined;

	constructor(call: GatewayCall, progress: Progress, deps: RetryingCallDeps) {
		this.call = call;
		this.progress = progress;
		this.deps = deps;
		this.since = deps.timer.elapsed();
	}

	async make(): Promise<void> {
		const { listener, timer, permits, random, retryPolicy } = this.deps;
		const { signal } = this.progress.abort;
		for (;;) {
			const outcome = await this.tryOnce();
			const charge = this.charge(outcome);
			if (signal.aborted) return listener.cancelled(charge);
			if (outcome.is === "reply") return this.answered(outcome, charge);
			const pausedMs = outcome.retry?.isRateLimit ? permits.pausedMs() : 0;
			const next = nextTry(this.tries, outcome, { now: timer.elapsed(), random: random(), retryPolicy, pausedMs });
			if (next.do === "fail") return listener.answered(outcome, charge);
			if (next.do === "give_up") return listener.answered(withWords(outcome, next.words), charge);
			this.tries = next.tries;
			listener.retrying({ attempt: next.tries.failed, waitMs: next.waitMs, reason: outcome.reason }, charge);
			this.progress.textBefore = this.progress.text || this.progress.textBefore;
			this.progress.text = "";
			await sleep(next.waitMs, timer, signal);
		}
	}

	private answered(outcome: ModelOutcome, charge: Charge): void {
		this.progress.text = "";
		this.progress.textBefore = "";
		this.deps.listener.answered(outcome, charge);
	}

	/** A try that is aborted gives a failure. */
	private async tryOnce(): Promise<ModelOutcome> {
		const { permits, loading } = this.deps;
		const { signal } = this.progress.abort;
		try {
			const model = await loading;
			if (!model.isRateLimited) return await this.ask(model, () => {});
			const { agent, joinedAt } = this.call;
			const permission = await permits.take({ depth: depthOf(agent), joinedAt, since: this.since }, signal);
			if (permission.is === "withdrawn") return failure("the call was stopped");
			if (permission.is === "spent") return this.spent(permission.reason);
			const { id } = permission;
			const outcome = await this.ask(model, (limits) => permits.accepted(id, limits));
			if (outcome.is === "failure" && outcome.retry?.isRateLimit)
				permits.refused(id, outcome.reason, outcome.retry.afterMs);
			permits.over(id, outcome.is === "reply" ? outcome.usage : undefined);
			return outcome;
		} catch (error) {
			return failureOf(error);
		}
	}

	/** Never rejects, so that a permit is always given back. */
	private async ask(model: Model, onAccepted: ModelCall["onAccepted"]): Promise<ModelOutcome> {
		const { agent, task, turn, kind, request, lastCommand } = this.call;
		const { signal } = this.progress.abort;
		if (signal.aborted) return failure("the call was stopped");
		const attempt = (this.tries?.failed ?? 0) + 1;
		const onDelta = (delta: ModelDelta) => {
			if (signal.aborted) return;
			if (delta.kind === "text") this.progress.text += delta.text;
			this.call.onDelta(delta);
		};
		const lastOutput = () => readOutput(lastCommand);
		const call = { agent, task, turn, attempt, kind, signal, onAccepted, onDelta, lastOutput };
		return model.ask(request, call).catch(failureOf);
	}

	/** The call has waited as long as it may be tried, and no call of the tree was let through. */
	private spent(refusal: string): ModelFailure {
		const { failed = 0, firstFailureAt = this.since } = this.tries ?? {};
		const words = triedWords(failed, this.deps.timer.elapsed() - firstFailureAt) || "waited in vain to be let through";
		return { ...failure(`${refusal}; ${words}`), exitCode: 75 };
	}

	/** A call that used no tokens costs nothing, even if its price is not known. */
	private charge(outcome: ModelOutcome): Charge {
		const { usage } = outcome;
		const { costOf } = this.deps;
		const partial = this.progress.text;
		if (totalTokens(usage) === 0) return { usage, costUsd: 0, partial };
		const model = outcome.is === "reply" ? outcome.model : this.call.model;
		const costUsd = costOf(model, usage) ?? costOf(this.call.model, usage);
		return { usage, costUsd: costUsd === null ? null : roundDollars(costUsd), partial };
	}
}

function withWords(outcome: ModelFailure, words: string): ModelFailure {
	return words === "" ? outcome : { ...outcome, reason: `${outcome.reason}; ${words}` };
}

function failure(reason: string): ModelFailure {
	return { is: "failure", reason, exitCode: 1, usage: NO_USAGE };
}

/** What the agent is told of a model that cannot be opened, or that has a bug. */
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
