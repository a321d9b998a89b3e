import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { boundCall } from "../../../../src/models/service/call-bounds.ts";

beforeEach(() => {
	vi.useFakeTimers();
	onTestFinished(() => void vi.useRealTimers());
});

test("a call ends when nothing was heard for so long, counted anew from each sign of life", () => {
	const bounds = boundCall(new AbortController().signal, 100);
	vi.advanceTimersByTime(99);
	bounds.heard();
	vi.advanceTimersByTime(99);
	expect([bounds.brokenBy, bounds.signal.aborted]).toEqual([undefined, false]);
	vi.advanceTimersByTime(1);
	expect([bounds.brokenBy, bounds.signal.aborted]).toEqual(["silence", true]);
});

// Seen to fail (the call was given up) with one timer for the whole silence.
test("a suspended process, which finds all its timers over when it goes on, still reads what has come", () => {
	const bounds = boundCall(new AbortController().signal, 100);
	vi.advanceTimersByTime(90);
	bounds.heard();
	vi.setSystemTime(Date.now() + 3_600_000);
	vi.advanceTimersToNextTimer();
	expect(bounds.signal.aborted).toBe(false);
	bounds.heard();
	vi.advanceTimersByTime(99);
	expect(bounds.signal.aborted).toBe(false);
});

// Seen to fail (the call goes on forever) with silences counted alone.
test("an answer that comes on and on is given up after forty of the longest silences", () => {
	const bounds = boundCall(new AbortController().signal, 100);
	for (let n = 0; n < 79; n++) {
		vi.advanceTimersByTime(50);
		bounds.heard();
	}
	expect(bounds.brokenBy).toBeUndefined();
	vi.advanceTimersByTime(50);
	expect([bounds.brokenBy, bounds.signal.aborted]).toEqual(["drip", true]);
});

test("when all has come, only a moment is left for the stream to end", () => {
	const bounds = boundCall(new AbortController().signal, 90_000);
	bounds.heardAll();
	vi.advanceTimersByTime(999);
	expect(bounds.signal.aborted).toBe(false);
	vi.advanceTimersByTime(1);
	expect(bounds.signal.aborted).toBe(true);
});

test("a stop ends a call, from its signal or from the model, and the first cause stays", () => {
	const stopped = new AbortController();
	const bySignal = boundCall(stopped.signal, 100);
	stopped.abort();
	const byModel = boundCall(new AbortController().signal, 100);
	byModel.stop();
	vi.advanceTimersByTime(100);
	for (const bounds of [bySignal, byModel, boundCall(AbortSignal.abort(), 100)])
		expect([bounds.brokenBy, bounds.signal.aborted]).toEqual(["stop", true]);
});

test("a call that is over leaves neither timer nor listener behind", () => {
	const stopped = new AbortController();
	const bounds = boundCall(stopped.signal, 100);
	bounds.release();
	stopped.abort();
	expect(vi.getTimerCount()).toBe(0);
	expect(bounds.brokenBy).toBeUndefined();
});
