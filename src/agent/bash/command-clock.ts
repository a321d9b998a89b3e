/** A command's timeout. It stands still while it is held: agents that the command has started have limits of their own. */

export interface Clock {
	/** Milliseconds that never go back. */
	now(): number;
	/** Gives what takes the timer back. */
	setTimer(ms: number, onTime: () => void): () => void;
}

export const SYSTEM_CLOCK: Clock = {
	now: () => performance.now(),
	setTimer: (ms, onTime) => {
		const timer = setTimeout(onTime, ms);
		return () => clearTimeout(timer);
	},
};

export interface Timeout {
	hold(isHeld: boolean): void;
	/** For good. */
	stop(): void;
}

export function startTimeout(clock: Clock, ms: number, onExpired: () => void): Timeout {
	let leftMs = ms;
	let running: { since: number; cancel: () => void } | undefined;
	let isOver = false;
	const pause = () => {
		if (running === undefined) return;
		running.cancel();
		leftMs -= clock.now() - running.since;
		running = undefined;
	};
	const resume = () => {
		if (running !== undefined || isOver) return;
		running = { since: clock.now(), cancel: clock.setTimer(Math.max(0, leftMs), onExpired) };
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
