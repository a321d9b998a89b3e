/** Timers that end with the run. */
const MAX_TIMER_MS = 2 ** 31 - 1; // Node fires a longer one at once

export interface Clocks {
	after(ms: number, then: () => void): void;
	stop(): void;
}

export function createClocks(): Clocks {
	const timers = new Set<NodeJS.Timeout>();
	return {
		after: (ms, then) => {
			const timer = setTimeout(
				() => {
					timers.delete(timer);
					then();
				},
				Math.min(ms, MAX_TIMER_MS),
			);
			timers.add(timer);
		},
		stop: () => {
			for (const timer of timers) clearTimeout(timer);
			timers.clear();
		},
	};
}
