/**
 * Says when the screen is drawn. Changes that come together share a frame, and a frame that takes long to draw is followed by a
 * long rest, so that a storm of events cannot use up a core; what a person waits for does not wait for the end of that rest.
 */
import type { Timer } from "../../core/clock.ts";

const LEAST_GAP_MS = 50;
const MOST_GAP_MS = 500;
/** From the beginning of a frame to that of the next it takes so many times as long as the frame itself. */
const REST = 10;

export class FrameTimer {
	private readonly clock: Timer;
	private readonly onFrame: () => void;
	private readonly leastGapMs: number;
	private drawnAt = Number.NEGATIVE_INFINITY;
	private tookMs = 0;
	private due: { readonly at: number; readonly callOff: () => void } | undefined;

	constructor(clock: Timer, onFrame: () => void, leastGapMs = LEAST_GAP_MS) {
		this.clock = clock;
		this.onFrame = onFrame;
		this.leastGapMs = leastGapMs;
	}

	/** Draws before long; `isAwaited`: somebody has pressed a key. */
	request({ isAwaited = false } = {}): void {
		const restMs = isAwaited ? this.leastGapMs : Math.max(this.leastGapMs, Math.min(MOST_GAP_MS, this.tookMs * REST));
		const now = this.clock.elapsed();
		const at = Math.max(now, this.drawnAt + restMs);
		if (this.due !== undefined && this.due.at <= at) return;
		this.stop();
		this.due = { at, callOff: this.clock.after(at - now, () => this.draw()) };
	}

	draw(): void {
		this.stop();
		this.drawnAt = this.clock.elapsed();
		this.onFrame();
		this.tookMs = this.clock.elapsed() - this.drawnAt;
	}

	stop(): void {
		this.due?.callOff();
		this.due = undefined;
	}
}

/**
 * Says when nothing has come from the terminal for a time. A process that was busy meanwhile reads first what has come: what waits
 * in the system is no silence.
 */
export class SilenceTimer {
	#timer: NodeJS.Timeout | undefined;
	#afterReading: NodeJS.Immediate | undefined;

	/** Calls `act` unless it is started again, or stopped, before. */
	start(ms: number, act: () => void): void {
		this.stop();
		this.#timer = setTimeout(() => {
			this.#afterReading = setImmediate(act);
		}, ms);
	}

	stop(): void {
		clearTimeout(this.#timer);
		clearImmediate(this.#afterReading);
	}
}
