import { expect, test } from "vitest";
import { Interruption } from "../../../../src/agent/bash/bash.ts";

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

const interruptionAfter = (ms: number) => {
	const clock = new FakeClock();
	return { clock, interruption: new Interruption(clock, ms) };
};

test("a timeout expires at its time, and not before its clock was started", () => {
	const { clock, interruption } = interruptionAfter(100);
	clock.advance(1000);
	interruption.startClock();
	clock.advance(99);
	expect(interruption.cause).toBeUndefined();
	clock.advance(1);
	expect(interruption.cause).toEqual({ by: "timeout", afterMs: 100 });
});

test("a clock that is held, also before its start, stands still, and then runs for the time that was left", () => {
	const { clock, interruption } = interruptionAfter(100);
	interruption.holdClock(true);
	interruption.startClock();
	clock.advance(1000);
	interruption.holdClock(false);
	clock.advance(60);
	interruption.holdClock(true);
	interruption.holdClock(true);
	clock.advance(3_600_000);
	interruption.holdClock(false);
	interruption.holdClock(false);
	clock.advance(39);
	expect(interruption.cause).toBeUndefined();
	clock.advance(1);
	expect(interruption.cause).toEqual({ by: "timeout", afterMs: 100 });
});

test("a stopped clock never interrupts, and leaves no timer", () => {
	const { clock, interruption } = interruptionAfter(100);
	interruption.startClock();
	interruption.stopClock();
	interruption.holdClock(true);
	interruption.holdClock(false);
	clock.advance(1000);
	expect([clock.timers, interruption.cause]).toEqual([[], undefined]);
});

test("of a stop and a timeout the first one is the cause", async () => {
	const { clock, interruption } = interruptionAfter(100);
	interruption.startClock();
	interruption.stop("a person said so");
	interruption.stop("again");
	clock.advance(100);
	expect(await interruption.happened).toEqual({ by: "stopped", reason: "a person said so" });
	expect(interruption.cause).toEqual({ by: "stopped", reason: "a person said so" });
});
