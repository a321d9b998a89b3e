/** A command's timeout. It stands still while it is held: agents that the command has started have limits of their own. */
import type { Timer } from "../../core/clock.ts";

export interface Timeout {
	hold(isHeld: boolean): void;
	/** For good. */
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
