import { expect, test } from "vitest";
import type { ModelFailure } from "../../../../src/core/model.ts";
import { DEFAULT_RETRY_POLICY } from "../../../../src/core/retry-policy.ts";
import { NO_USAGE } from "../../../../src/core/usage.ts";
import { nextTry, type TryFacts } from "../../../../src/supervisor/calls/backoff.ts";

const BROKEN: ModelFailure = {
	is: "failure",
	reason: "r",
	exitCode: 75,
	usage: NO_USAGE,
	retry: { isRateLimit: false },
};
const asked = (afterMs: number): ModelFailure => ({ ...BROKEN, retry: { isRateLimit: true, afterMs } });
const facts = (given: Partial<TryFacts> = {}): TryFacts => ({
	now: 1000,
	random: 1,
	retryPolicy: DEFAULT_RETRY_POLICY,
	pausedMs: 0,
	...given,
});
const after = (failed: number) => (failed === 0 ? undefined : { failed, firstFailureAt: 0 });
const waitOf = (failed: number, failure = BROKEN, given: Partial<TryFacts> = {}) => {
	const next = nextTry(after(failed), failure, facts(given));
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
	expect(waitOf(0, asked(3_600_000), { random: 0 })).toBe(300_000);
});

test("while all calls are paused none is made again", () => {
	expect(waitOf(0, asked(100), { random: 0, pausedMs: 7000 })).toBe(7000);
});

test("the time for tries begins with the first failure; its last try is made at its very end", () => {
	expect(nextTry(undefined, BROKEN, facts())).toEqual({
		do: "wait",
		tries: { failed: 1, firstFailureAt: 1000 },
		waitMs: 1000,
	});
	expect(waitOf(9, BROKEN, { now: 599_000 })).toBe(1000);
	expect(nextTry(after(9), BROKEN, facts({ now: 600_000 }))).toEqual({
		do: "give_up",
		words: "tried 10 times in 10m00s",
	});
});

// Seen to fail (a retry is announced that the pause of all calls never lets be made) when the wait was cut to the time left.
test("a wait that ends after the time for tries is not begun, and the failure says who asks for it", () => {
	expect(nextTry(after(9), asked(3_600_000), facts({ now: 599_000 }))).toEqual({
		do: "give_up",
		words: "tried 10 times in 9m59s, the service asked to wait 1h00m, and a call is tried for 10m00s",
	});
	const retryPolicy = { ...DEFAULT_RETRY_POLICY, retryTimeMs: 5000 };
	expect(nextTry(undefined, asked(6000), facts({ retryPolicy }))).toEqual({
		do: "give_up",
		words: "the service asked to wait 6s, and a call is tried for 5s",
	});
	expect(nextTry(undefined, asked(100), facts({ retryPolicy, pausedMs: 9000 }))).toEqual({
		do: "give_up",
		words: "all calls are paused for another 9s, and a call is tried for 5s",
	});
	expect(waitOf(0, asked(5000), { retryPolicy })).toBe(5000);
});

test("with no time for tries a call is made once", () => {
	const retryPolicy = { ...DEFAULT_RETRY_POLICY, retryTimeMs: 0 };
	expect(nextTry(undefined, BROKEN, facts({ retryPolicy }))).toEqual({ do: "give_up", words: "" });
});

test("what would fail again is not tried again", () => {
	const { retry: _, ...final } = BROKEN;
	expect(nextTry(undefined, final, facts())).toEqual({ do: "fail" });
});
