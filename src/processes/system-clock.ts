/** This machine's clock. No other file reads it. */
import type { Clock } from "../core/clock.ts";

const MAX_TIMER_MS = 2 ** 31 - 1; // 24.8 days; Node fires a longer one at once

export const SYSTEM_CLOCK: Clock = {
	now: () => Date.now(),
	elapsed: () => Number(process.hrtime.bigint()) / 1e6, // `performance` would be loaded first, which takes 0.5 ms
	after,
};

function after(ms: number, then: () => void): () => void {
	const stepMs = Math.min(ms, MAX_TIMER_MS);
	let callOff = () => clearTimeout(timer);
	const timer = setTimeout(() => {
		if (stepMs < ms) callOff = after(ms - stepMs, then);
		else then();
	}, stepMs);
	return () => callOff();
}
