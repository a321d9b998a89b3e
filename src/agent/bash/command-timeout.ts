/** A command's timeout. Its clock is held while child agents of the command live: they have limits of their own. */
import type { Timer } from "../../core/clock.ts";

export interface Timeout {
	/** Holds the clock, or lets it go on with the time that was left. */
	hold(isHeld: boolean): void;
	/** Cancels the timeout for good. */
	stop(): void;
}

export function startTimeout(clock: Timer, ms: number, onExpired: () => void): Timeout {
	let leftMs = ms;
	let running: { since: number; cancel: () => void } | undefined;
	let isOver = false;
	const pause = () => {
		if (running === undefined) return;
		running.cancel();
		leftMs -= clock.elapsed() - running.since;
		running = undefined;
	};
	const resume = () => {
		if (running !== undefined || isOver) return;
		running = { since: clock.elapsed(), cancel: clock.after(Math.max(0, leftMs), onExpired) };
	};
	resume();
	return {
		hold: (isHeld) => (isHeld ? pause() : resume()),
		stop: () => {
			isOver = true;
			pause();
		},
	};
}
