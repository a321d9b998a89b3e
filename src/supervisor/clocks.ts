/** The timers of a run: none fires after the run has ended. */
const MAX_TIMER_MS = 2 ** 31 - 1; // 24.8 days; Node fires a longer one at once

export interface Clocks {
	after(ms: number, then: () => void): void;
	stop(): void;
}

export function createClocks(): Clocks {
	const timers = new Set<NodeJS.Timeout>();
	const after = (ms: number, then: () => void) => {
		const stepMs = Math.min(ms, MAX_TIMER_MS);
		const timer = setTimeout(() => {
			timers.delete(timer);
			if (stepMs < ms) after(ms - stepMs, then);
			else then();
		}, stepMs);
		timers.add(timer);
	};
	return {
		after,
		stop: () => {
			for (const timer of timers) clearTimeout(timer);
			timers.clear();
		},
	};
}
