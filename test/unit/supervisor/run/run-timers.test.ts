import { expect, test } from "vitest";
import { createRunTimers } from "../../../../src/supervisor/run/run-core.ts";
import { handClock } from "../../hand-clock.ts";

test("what is set happens after its time, once, and not before", async () => {
	const clock = handClock();
	const happened: string[] = [];
	const timers = createRunTimers(clock);
	timers.after(2_000, () => happened.push("two"));
	timers.after(1_000, () => happened.push("one"));
	await clock.pass(1_999);
	expect(happened).toEqual(["one"]);
	await clock.pass(10_000);
	expect(happened).toEqual(["one", "two"]);
});

test("after the stop nothing happens any more", async () => {
	const clock = handClock();
	const timers = createRunTimers(clock);
	timers.after(100, () => {});
	timers.after(1_000, () => expect.unreachable());
	await clock.pass(500);
	timers.stop();
	expect(clock.timers()).toBe(0);
});
