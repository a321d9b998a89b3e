import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { SYSTEM_CLOCK } from "../../../src/processes/system-clock.ts";

const DAY_MS = 86_400_000;

beforeEach(() => {
	vi.useFakeTimers({ now: 5_000 });
	onTestFinished(() => {
		vi.useRealTimers();
	});
});

test("a time longer than a timer of Node can be is kept, too", () => {
	const happened: string[] = [];
	SYSTEM_CLOCK.after(60 * DAY_MS, () => happened.push("then"));
	vi.advanceTimersByTime(60 * DAY_MS - 1);
	expect(happened).toEqual([]);
	vi.advanceTimersByTime(1);
	expect(happened).toEqual(["then"]);
});

test("a timer that is cancelled never fires, in whichever part of a long time", () => {
	const callOffs = [1_000, 60 * DAY_MS].map((ms) => SYSTEM_CLOCK.after(ms, () => expect.unreachable()));
	callOffs[0]?.();
	vi.advanceTimersByTime(40 * DAY_MS);
	callOffs[1]?.();
	expect(vi.getTimerCount()).toBe(0);
	vi.advanceTimersByTime(60 * DAY_MS);
});
