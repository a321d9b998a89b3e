import { expect, test } from "vitest";
import { FrameTimer } from "../../../../src/tui/terminal/timers.ts";
import { handClock } from "../../hand-clock.ts";

/** `takesMs`: how long a frame takes to draw. */
function drawing({ takesMs = 0 } = {}) {
	const clock = handClock(0);
	const frames: number[] = [];
	let skewMs = 0;
	const elapsed = () => clock.elapsed() + skewMs;
	const timer = new FrameTimer({ elapsed, after: clock.after }, () => {
		frames.push(elapsed());
		skewMs += takesMs;
	});
	return { clock, frames, timer };
}

// Seen to fail (40 % of the time is used) with the same gap after every frame.
test("however fast changes come, drawing takes about a tenth of the time", async () => {
	for (const takesMs of [20, 40]) {
		const { clock, frames, timer } = drawing({ takesMs });
		for (let ms = 0; ms < 5_000; ms += 10) {
			timer.request();
			await clock.pass(10);
		}
		const share = (frames.length * takesMs) / ((frames.at(-1) ?? 0) + takesMs);
		expect(share).toBeGreaterThan(0.09);
		expect(share).toBeLessThan(0.11);
	}
});

test("what a key has changed does not wait for the end of a long rest", async () => {
	const { clock, frames, timer } = drawing({ takesMs: 40 });
	timer.draw();
	timer.request();
	await clock.pass(100);
	expect(frames).toEqual([0]);
	timer.request({ isAwaited: true });
	timer.request();
	await clock.pass(0);
	expect(frames).toHaveLength(2);
	await clock.pass(10_000);
	expect(frames).toHaveLength(2);
});
