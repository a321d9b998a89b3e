/** Timers that end with the run. */
import type { Timer } from "../core/clock.ts";

export interface RunTimers {
	after(ms: number, then: () => void): void;
	stop(): void;
}

export function createRunTimers(clock: Pick<Timer, "after">): RunTimers {
	const callOffs = new Set<() => void>();
	return {
		after: (ms, then) => {
			const callOff = clock.after(ms, () => {
				callOffs.delete(callOff);
				then();
			});
			callOffs.add(callOff);
		},
		stop: () => {
			for (const callOff of callOffs) callOff();
			callOffs.clear();
		},
	};
}
