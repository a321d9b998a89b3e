import { expect, test } from "vitest";
import { DEFAULT_RETRY_POLICY, type ModelFailure } from "../../../../src/core/model/model.ts";
import { NO_USAGE } from "../../../../src/core/model/usage.ts";
import { type AttemptContext, nextAttempt } from "../../../../src/supervisor/calls/backoff.ts";

const BROKEN: ModelFailure = {
	is: "failure",
	reason: "r",
	exitCode: 75,
	usage: NO_USAGE,
	retry: { isRateLimit: false },
};
const asked = (afterMs: number): ModelFailure => ({ ...BROKEN, retry: { isRateLimit: true, afterMs } });
const context = (given: Partial<AttemptContext> = {}): AttemptContext => ({
	now: 1000,
	random: 1,
	retryPolicy: DEFAULT_RETRY_POLICY,
	pausedMs: 0,
	isKnown: true,
	...given,
});
const after = (failed: number) => (failed === 0 ? undefined : { failed, firstFailureAt: 0 });
const waitOf = (failed: number, failure = BROKEN, given: Partial<AttemptContext> = {}) => {
	const next = nextAttempt(after(failed), failure, context(given));
	return next.do === "wait" ? next.waitMs : next.do;
};

test("the most that is waited doubles up to a minute, and any part of it may be waited", () => {
	expect([0, 1, 2, 5, 6, 7, 50].map((failed) => waitOf(failed))).toEqual([
		1000, 2000, 4000, 32_000, 60_000, 60_000, 60_000,
	]);
	expect([0, 0.25, 0.5].map((random) => waitOf(2, BROKEN, { random }))).toEqual([0, 1000, 2000]);
});

test("what the service asks for is waited, and a little more, but no longer than five minutes", () => {
	expect([0, 1].map((random) => waitOf(4, asked(20_000), { random }))).toEqual([20_000, 21_000]);
	expect(waitOf(0, asked(590_000), { random: 0 })).toBe(300_000);
});

test("the retry time begins with the first failure; its last attempt is made at its very end", () => {
	expect(nextAttempt(undefined, BROKEN, context())).toEqual({
		do: "wait",
		attempts: { failed: 1, firstFailureAt: 1000 },
		waitMs: 1000,
	});
	expect(waitOf(9, BROKEN, { now: 599_000 })).toBe(1000);
	expect(nextAttempt(after(9), BROKEN, context({ now: 600_000 }))).toEqual({
		do: "give_up",
		words: "tried 10 times in 10m00s",
	});
});

// Seen to fail (a retry is announced that the pause of all calls never lets be made) when the wait was cut to the time left.
test("a wait that ends after the retry time is not begun, and the failure says who asks for it", () => {
	expect(nextAttempt(after(9), asked(3_600_000), context({ now: 599_000 }))).toEqual({
		do: "give_up",
		words: "tried 10 times in 9m59s, the service asked to wait 1h00m, and calls are retried for 10m00s",
	});
	const retryPolicy = { ...DEFAULT_RETRY_POLICY, retryTimeMs: 5000 };
	expect(nextAttempt(undefined, asked(6000), context({ retryPolicy }))).toEqual({
		do: "give_up",
		words: "the service asked to wait 6s, and calls are retried for 5s",
	});
	expect(nextAttempt(undefined, asked(100), context({ retryPolicy, pausedMs: 9000 }))).toEqual({
		do: "give_up",
		words: "all calls are paused for another 9s, and calls are retried for 5s",
	});
	expect(waitOf(0, asked(5000), { retryPolicy })).toBe(5000);
});

// Seen to fail (five minutes are waited, and the agent's time ends meanwhile) when only the retry time was looked at.
test("a wait that is longer than what the retry time or the agent's limits leave fails at once", () => {
	expect(nextAttempt(undefined, asked(3_600_000), context())).toEqual({
		do: "give_up",
		words: "the service asked to wait 1h00m, and calls are retried for 10m00s",
	});
	const timeLeft = { ms: 40_000, limit: "max-time 5m00s of agent 1" };
	expect(nextAttempt(after(1), asked(60_000), context({ timeLeft }))).toEqual({
		do: "give_up",
		words: "tried 2 times in 1s, the service asked to wait 1m00s, and max-time 5m00s of agent 1 leaves 40s",
	});
	expect(waitOf(0, asked(30_000), { random: 0, timeLeft })).toBe(30_000);
});

test("with no retry time a call is made once", () => {
	const retryPolicy = { ...DEFAULT_RETRY_POLICY, retryTimeMs: 0 };
	expect(nextAttempt(undefined, BROKEN, context({ retryPolicy }))).toEqual({ do: "give_up", words: "" });
});
