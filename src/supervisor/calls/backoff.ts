/**
 * When a call that broke is made again. The longest wait doubles with each try, and the wait is a random part of it, so that
 * agents that failed together do not come back together. Tries end after a time, not after a number. Pure.
 */

import type { ModelFailure } from "../../core/model.ts";
import type { RetryPolicy } from "../../core/retry-policy.ts";
import { formatDuration } from "../../text/durations.ts";

/** What has been tried of one call. */
export interface Tries {
	/** Failures so far. */
	readonly failed: number;
	readonly firstFailureAt: number;
}

export type NextTry =
	| { do: "wait"; tries: Tries; waitMs: number }
	/** `words`: how often and for how long the call was tried, and why it is not tried again. */
	| { do: "give_up"; words: string }
	/** Another try would not help. */
	| { do: "fail" };

export interface TryFacts {
	now: number;
	/** 0 to 1. */
	random: number;
	retryPolicy: RetryPolicy;
	/** For how long no call of the tree may be made. */
	pausedMs: number;
}

const MAX_WAIT_MS = 60_000;
const MAX_ASKED_WAIT_MS = 300_000; // a service that asks for a longer wait is asked again after this time: it may have been wrong

export function nextTry(before: Tries | undefined, failure: ModelFailure, facts: TryFacts): NextTry {
	if (failure.retry === undefined) return { do: "fail" };
	const { now, retryPolicy } = facts;
	const tries = { failed: (before?.failed ?? 0) + 1, firstFailureAt: before?.firstFailureAt ?? now };
	const triedMs = now - tries.firstFailureAt;
	const leftMs = retryPolicy.retryTimeMs - triedMs;
	if (leftMs <= 0) return { do: "give_up", words: triedWords(tries.failed, triedMs) };
	const heldBack = heldBackWords(failure.retry.afterMs ?? 0, leftMs, facts);
	if (heldBack !== undefined) {
		const words = [triedWords(tries.failed, triedMs), heldBack].filter(Boolean).join(", ");
		return { do: "give_up", words };
	}
	const waitMs = Math.max(waitOf(tries.failed, failure.retry.afterMs, facts), facts.pausedMs);
	return { do: "wait", tries, waitMs: Math.round(Math.min(waitMs, leftMs)) };
}

/** Why no other try can be made in the time that is left; undefined when one can. */
function heldBackWords(afterMs: number, leftMs: number, { pausedMs, retryPolicy }: TryFacts): string | undefined {
	const tried = `a call is tried for ${formatDuration(retryPolicy.retryTimeMs)}`;
	if (Math.min(afterMs, MAX_ASKED_WAIT_MS) > leftMs)
		return `the service asked to wait ${formatDuration(afterMs)}, and ${tried}`;
	return pausedMs > leftMs ? `all calls are paused for another ${formatDuration(pausedMs)}, and ${tried}` : undefined;
}

/** `tried 9 times in 10m02s`; empty for what was tried once. */
export function triedWords(times: number, ms: number): string {
	return times > 1 ? `tried ${times} times in ${formatDuration(ms)}` : "";
}

function waitOf(failed: number, afterMs: number | undefined, { random, retryPolicy }: TryFacts): number {
	const jitterMs = random * Math.min(MAX_WAIT_MS, retryPolicy.retryWaitMs * 2 ** Math.min(failed - 1, 30));
	if (afterMs === undefined) return jitterMs;
	return Math.min(afterMs, MAX_ASKED_WAIT_MS) + Math.min(jitterMs, retryPolicy.retryWaitMs);
}
