import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { createClocks } from "../../../src/supervisor/clocks.ts";

const DAY_MS = 86_400_000;

beforeEach(() => {
	vi.useFakeTimers();
	onTestFinished(() => {
		vi.useRealTimers();
	});
});

test("what is set happens after its time, once, and not before", () => {
	const happened: string[] = [];
	const clocks = createClocks();
	clocks.after(2_000, () => happened.push("two"));
	clocks.after(1_000, () => happened.push("one"));
	vi.advanceTimersByTime(1_999);
	expect(happened).toEqual(["one"]);
	vi.advanceTimersByTime(10_000);
	expect(happened).toEqual(["one", "two"]);
});

test("a time longer than a timer of Node can hold is kept, too", () => {
	const happened: string[] = [];
	createClocks().after(60 * DAY_MS, () => happened.push("then"));
	vi.advanceTimersByTime(60 * DAY_MS - 1);
	expect(happened).toEqual([]);
	vi.advanceTimersByTime(1);
	expect(happened).toEqual(["then"]);
});

test("after the stop nothing happens any more", () => {
	const clocks = createClocks();
	clocks.after(1_000, () => expect.unreachable());
	clocks.after(60 * DAY_MS, () => expect.unreachable());
	vi.advanceTimersByTime(500);
	clocks.stop();
	expect(vi.getTimerCount()).toBe(0);
});
