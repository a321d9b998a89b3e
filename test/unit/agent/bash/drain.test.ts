import { expect, test } from "vitest";
import { type Drain, settle } from "../../../../src/agent/bash/pipe.ts";
import type { Timer } from "../../../../src/core/clock.ts";

/** Time passes only in timers, which are due at once. */
function createClock(): Timer & { time: number } {
	const clock = {
		time: 0,
		elapsed: () => clock.time,
		after: (ms: number, onTime: () => void) => {
			clock.time += ms;
			queueMicrotask(onTime);
			return () => {};
		},
	};
	return clock;
}

function createDrain(): { -readonly [Key in keyof Drain]: Drain[Key] } {
	return { hasEnded: new Promise(() => {}), isOver: false, bytes: 0, isHeld: false, release: () => {} };
}

test("a pipe at its end is settled at once", async () => {
	const clock = createClock();
	await settle({ ...createDrain(), isOver: true }, clock, () => expect.unreachable());
	expect(clock.time).toBe(0);
});

test("a quiet pipe with no process at work is settled after 100 ms", async () => {
	const clock = createClock();
	await settle(createDrain(), clock, () => false);
	expect(clock.time).toBe(100);
});

test("while a process is at work a quiet pipe is waited for, at most 2 s", async () => {
	const clock = createClock();
	let looks = 0;
	await settle(createDrain(), clock, () => ++looks < 5);
	expect(clock.time).toBe(500);
	await settle(createDrain(), clock, () => true);
	expect(clock.time).toBe(2_500);
});

test("a pipe that is never quiet is left after 2 s", async () => {
	const clock = createClock();
	const drain = createDrain();
	const noisy: Timer = {
		...clock,
		after: (ms, onTime) =>
			clock.after(ms, () => {
				drain.bytes++;
				onTime();
			}),
	};
	await settle(drain, { ...noisy, elapsed: clock.elapsed }, () => expect.unreachable());
	expect(clock.time).toBe(2_000);
});

test("what a process prints that ends while it is looked for is waited for", async () => {
	const clock = createClock();
	const drain = createDrain();
	let looks = 0;
	const printsAndEnds = () => {
		if (looks++ === 0) setImmediate(() => void drain.bytes++); // it is in the pipe, and will be read next
		return false;
	};
	await settle(drain, clock, printsAndEnds);
	expect([looks, drain.bytes, clock.time]).toEqual([2, 1, 300]);
});
