import { expect, test } from "vitest";
import { createCommandControl, startTimeout } from "../../../../src/agent/bash/bash.ts";

class FakeClock {
	time = 0;
	timers: { at: number; onTime: () => void }[] = [];
	elapsed = () => this.time;
	after = (ms: number, onTime: () => void) => {
		const timer = { at: this.time + ms, onTime };
		this.timers.push(timer);
		return () => {
			this.timers = this.timers.filter((other) => other !== timer);
		};
	};
	advance(ms: number): void {
		this.time += ms;
		const due = this.timers.filter(({ at }) => at <= this.time);
		this.timers = this.timers.filter(({ at }) => at > this.time);
		for (const { onTime } of due) onTime();
	}
}

test("a timeout expires once, at its time", () => {
	const clock = new FakeClock();
	let expired = 0;
	startTimeout(clock, 100, () => expired++);
	clock.advance(99);
	expect(expired).toBe(0);
	clock.advance(1);
	clock.advance(1000);
	expect(expired).toBe(1);
});

test("a timeout that is held stands still, and then goes on with the time that was left", () => {
	const clock = new FakeClock();
	let expired = 0;
	const timeout = startTimeout(clock, 100, () => expired++);
	clock.advance(60);
	timeout.hold(true);
	timeout.hold(true);
	clock.advance(3_600_000);
	timeout.hold(false);
	timeout.hold(false);
	clock.advance(39);
	expect(expired).toBe(0);
	clock.advance(1);
	expect(expired).toBe(1);
});

test("a stopped timeout never expires, and leaves no timer", () => {
	const clock = new FakeClock();
	const timeout = startTimeout(clock, 100, () => expect.unreachable());
	timeout.stop();
	timeout.hold(true);
	timeout.hold(false);
	expect(clock.timers).toEqual([]);
	clock.advance(1000);
});

test("a clock that is held before its start stands still from the start", () => {
	const clock = new FakeClock();
	const control = createCommandControl(clock, 100);
	control.holdClock(true);
	control.startClock();
	clock.advance(1000);
	expect(control.interruption).toBeUndefined();
	control.holdClock(false);
	clock.advance(100);
	expect(control.interruption).toEqual({ by: "timeout", afterMs: 100 });
});

test("of a stop and a timeout the first one is the cause", async () => {
	const clock = new FakeClock();
	const control = createCommandControl(clock, 100);
	control.startClock();
	control.stop("a person said so");
	control.stop("again");
	clock.advance(100);
	expect(await control.interrupted).toEqual({ by: "stopped", reason: "a person said so" });
	expect(control.interruption).toEqual({ by: "stopped", reason: "a person said so" });
});
