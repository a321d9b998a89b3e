import { expect, test } from "vitest";
import { keepTimeLimit } from "../../../src/supervisor/agents/time-limits.ts";
import { Deadlines } from "../../../src/supervisor/calls/deadlines.ts";
import { handClock } from "../hand-clock.ts";

test("an agent's time is over once, as much later as it was held", async () => {
	// Seen to fail with a timer that knows no pause: it is over in the middle of that.
	const clock = handClock();
	const deadlines = new Deadlines(clock);
	let over = 0;
	const short: number[] = [];
	deadlines.begin("1.1", 10_000);
	keepTimeLimit("1.1", { deadlines, timers: clock, keptMs: 0, onOver: () => over++ });
	const onShort = () => short.push(deadlines.ownLeft("1.1") ?? 0);
	keepTimeLimit("1.1", { deadlines, timers: clock, keptMs: 2_000, onOver: onShort });
	await clock.pass(4_000);
	deadlines.hold("1.1", true);
	await clock.pass(60_000);
	deadlines.hold("1.1", false);
	await clock.pass(5_900);
	expect([over, short]).toEqual([0, [2_000]]);
	await clock.pass(200);
	expect(over).toBe(1);
	await clock.pass(100_000);
	expect([over, clock.timers()]).toEqual([1, 0]);
});
