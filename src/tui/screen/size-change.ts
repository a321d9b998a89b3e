/** A change of a terminal's size, while which nothing is drawn. */
import type { Timer } from "../../core/clock.ts";

/**
 * A change of the terminal's size, from when it is told until something is drawn for it. Sizes come many in a row while a window
 * is drawn larger; and a terminal may have a size for a while before it tells it: tmux waits for up to a quarter of a second.
 */
interface SizeChangeOptions {
	readonly clock: Timer;
	/** A terminal may have its new size for so long before it tells it. */
	readonly lagMs: number;
	/** No other size was told for so long; or the change has been going on for long. */
	readonly onSettled: () => void;
}

const MOST_SETTLING_MS = 1_000;

export class SizeChange {
	private readonly options: SizeChangeOptions;
	private since: number | undefined;
	private callOff: (() => void) | undefined;

	constructor(options: SizeChangeOptions) {
		this.options = options;
	}

	/** Nothing should be drawn: what is written to a terminal whose size is not known may leave rows behind. */
	get isSettling(): boolean {
		return this.callOff !== undefined;
	}

	told(): void {
		const { clock, lagMs, onSettled } = this.options;
		const now = clock.elapsed();
		this.since ??= now;
		this.callOff?.();
		this.callOff = clock.after(Math.max(0, Math.min(lagMs, this.since + MOST_SETTLING_MS - now)), () => {
			this.callOff = undefined;
			onSettled();
		});
	}

	/** Whether what was written then may have been written to a terminal of the new size. */
	mayHaveHit(writtenAt: number): boolean {
		return this.since !== undefined && this.since - writtenAt < this.options.lagMs;
	}

	/** Something is drawn for the new size. */
	end(): void {
		this.callOff?.();
		this.callOff = undefined;
		this.since = undefined;
	}
}
