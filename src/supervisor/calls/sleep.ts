import type { Timer } from "../../core/clock.ts";

/** Resolves early when the signal is aborted. */
export function sleep(ms: number, timer: Timer, signal: AbortSignal): Promise<void> {
	return new Promise((resolve) => {
		if (signal.aborted) return resolve();
		const wake = () => {
			callOff();
			signal.removeEventListener("abort", wake);
			resolve();
		};
		const callOff = timer.after(ms, wake);
		signal.addEventListener("abort", wake, { once: true });
	});
}
