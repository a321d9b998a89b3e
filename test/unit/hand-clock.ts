/** Time that is moved by hand: what is due is done in its order, and what follows from it before the next. */
import type { Timer } from "../../src/core/clock.ts";

export interface HandClock extends Timer {
	/** Moves on from one timer to the next, until `isDone` or the time is over. */
	run(isDone: () => boolean, maxMs?: number): Promise<void>;
	pass(ms: number): Promise<void>;
	timers(): number;
}

export function handClock(start = 1_000_000): HandClock {
	let now = start;
	let due: { at: number; then: () => void }[] = [];
	const run = async (isDone: () => boolean, maxMs = 3_600_000) => {
		const end = now + maxMs;
		for (;;) {
			await settled();
			const next = due.reduce<{ at: number; then: () => void } | undefined>(
				(first, timer) => (first === undefined || timer.at < first.at ? timer : first),
				undefined,
			);
			if (isDone()) return;
			if (next === undefined || next.at > end) break;
			due = due.filter((timer) => timer !== next);
			now = Math.max(now, next.at);
			next.then();
		}
		now = end;
	};
	return {
		elapsed: () => now,
		after: (ms, then) => {
			const timer = { at: now + ms, then };
			due.push(timer);
			return () => {
				due = due.filter((other) => other !== timer);
			};
		},
		run,
		pass: (ms) => run(() => false, ms),
		timers: () => due.length,
	};
}

/** All that promises have left to do. */
function settled(): Promise<void> {
	return new Promise((resolve) => setImmediate(resolve));
}
