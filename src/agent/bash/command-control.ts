/** Interrupts a command from outside: by its timeout, or by a stop. The first cause wins. */
import type { Timer } from "../../core/clock.ts";
import type { CommandEnd } from "../../core/command.ts";

export interface CommandControl {
	/** Resolves when the command is interrupted; else never. */
	readonly interrupted: Promise<CommandEnd>;
	readonly interruption: CommandEnd | undefined;
	stop(reason: string): void;
	/** Holds the clock or lets it go on. May be called before the clock has been started. */
	holdClock(isHeld: boolean): void;
	startClock(): void;
	stopClock(): void;
}

export function createCommandControl(clock: Timer, timeoutMs: number): CommandControl {
	let interruption: CommandEnd | undefined;
	let timeout: Timeout | undefined;
	let isClockHeld = false;
	let settle = (_end: CommandEnd) => {};
	const interrupted = new Promise<CommandEnd>((resolve) => {
		settle = resolve;
	});
	const interrupt = (end: CommandEnd) => {
		interruption ??= end;
		settle(interruption);
	};
	return {
		interrupted,
		get interruption() {
			return interruption;
		},
		stop: (reason) => interrupt({ by: "stopped", reason }),
		holdClock: (isHeld) => {
			isClockHeld = isHeld;
			timeout?.hold(isHeld);
		},
		startClock: () => {
			timeout = startTimeout(clock, timeoutMs, () => interrupt({ by: "timeout", afterMs: timeoutMs }));
			timeout.hold(isClockHeld);
		},
		stopClock: () => timeout?.stop(),
	};
}

/** A command's timeout. Its clock is held while child agents of the command live: they have limits of their own. */
interface Timeout {
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
