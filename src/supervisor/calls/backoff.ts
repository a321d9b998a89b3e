/**
 * When a failed call is retried. The wait is a random part of a bound that doubles with each attempt, so that agents whose
 * calls failed together do not retry together. Retries end after a time, not after a number of attempts. Pure.
 */

import type { ModelFailure, RetryPolicy } from "../../core/model/model.ts";
import { formatDuration } from "../../text/durations.ts";

/** The failed attempts at one call. */
export interface Attempts {
	readonly failed: number;
	/** By the monotonic clock, in milliseconds. */
	readonly firstFailureAt: number;
}

type NextAttempt =
	| { do: "wait"; attempts: Attempts; waitMs: number }
	/** The retry time is over. `words`: how often and for how long the call was tried, and why it is not retried. */
	| { do: "give_up"; words: string }
	/** A retry would not help. */
	| { do: "fail" };

export interface AttemptContext {
	now: number;
	/** A random number from 0 to 1. */
	random: number;
	retryPolicy: RetryPolicy;
	/** How long all calls of the run are still paused; 0 when they are not. */
	pausedMs: number;
	/** The service has answered a call of this run, well or not. */
	isKnown: boolean;
	/** Another model may take over: it does so soon, and at once for a long wait. */
	mayFallBack?: boolean;
	/** The time that the agent's limits leave it, and which limit it is; undefined without a limit. */
	timeLeft?: TimeLeft;
}

export interface TimeLeft {
	readonly ms: number;
	/** `max-time 5 m for agent 1 and all below it` */
	readonly limit: string;
}

const MAX_WAIT_MS = 60_000;
const MAX_ASKED_WAIT_MS = 300_000; // a service that asks for a longer wait is called again after this time: it may be wrong
/** A service of which nothing was ever seen is hardly down for a moment: its address or the network is wrong. */
const UNKNOWN_SERVICE_MS = 30_000;
const FALLBACK_AFTER = 3; // failed attempts
const FALLBACK_WAIT_MS = 15_000;

/** What to do after a call has failed. */
export function nextAttempt(before: Attempts | undefined, failure: ModelFailure, context: AttemptContext): NextAttempt {
	if (failure.retry === undefined) return { do: "fail" };
	const { now, retryPolicy } = context;
	const attempts = { failed: (before?.failed ?? 0) + 1, firstFailureAt: before?.firstFailureAt ?? now };
	const triedMs = now - attempts.firstFailureAt;
	const isNobodyThere = failure.retry.isUnreached === true && !context.isKnown;
	const mostMs = Math.min(retryPolicy.retryTimeMs, isNobodyThere ? UNKNOWN_SERVICE_MS : Number.POSITIVE_INFINITY);
	const leftMs = mostMs - triedMs;
	if (leftMs <= 0) return { do: "give_up", words: triedWords(attempts.failed, triedMs) };
	const heldBack = heldBackWords(failure.retry.afterMs ?? 0, leftMs, context);
	if (heldBack !== undefined) {
		const words = [triedWords(attempts.failed, triedMs), heldBack].filter(Boolean).join(", ");
		return { do: "give_up", words };
	}
	const waitMs = Math.max(waitOf(attempts.failed, failure.retry.afterMs, context), context.pausedMs);
	const isTiredOf = attempts.failed >= FALLBACK_AFTER || waitMs > FALLBACK_WAIT_MS;
	if (context.mayFallBack && failure.retry.afterMs !== 0 && isTiredOf)
		return { do: "give_up", words: triedWords(attempts.failed, triedMs) };
	return { do: "wait", attempts, waitMs: Math.round(Math.min(waitMs, leftMs)) };
}

/** Why no attempt can be made in the time that is left; undefined when one can. */
function heldBackWords(afterMs: number, leftMs: number, context: AttemptContext): string | undefined {
	const { pausedMs, retryPolicy, timeLeft } = context;
	const asked = `the service asked to wait ${formatDuration(afterMs)}`;
	const tried = `calls are retried for ${formatDuration(retryPolicy.retryTimeMs)}`;
	if (afterMs > leftMs) return `${asked}, and ${tried}`;
	if (timeLeft !== undefined && afterMs > timeLeft.ms)
		return `${asked}, and ${timeLeft.limit} leaves ${formatDuration(Math.max(0, timeLeft.ms))}`;
	return pausedMs > leftMs ? `all calls are paused for another ${formatDuration(pausedMs)}, and ${tried}` : undefined;
}

/** `tried 9 times in 10m02s`; empty for a single attempt. */
export function triedWords(times: number, ms: number): string {
	return times > 1 ? `tried ${times} times in ${formatDuration(ms)}` : "";
}

function waitOf(failed: number, afterMs: number | undefined, { random, retryPolicy }: AttemptContext): number {
	const jitterMs = random * Math.min(MAX_WAIT_MS, retryPolicy.retryWaitMs * 2 ** Math.min(failed - 1, 30));
	if (afterMs === undefined) return jitterMs;
	return Math.min(afterMs, MAX_ASKED_WAIT_MS) + Math.min(jitterMs, retryPolicy.retryWaitMs);
}
