/** Waiting for whichever of several things happens first, without missing one that happens meanwhile. */
import { setTimeout } from "node:timers/promises";

export class Wakes {
	private isAwake = false;
	private waiting: AbortController | undefined;

	readonly wake = (): void => {
		this.isAwake = true;
		this.waiting?.abort();
	};

	/** Resolves when `wake` was called since it resolved last, and after `mostMs` in any case. */
	async next(mostMs: number): Promise<void> {
		if (!this.isAwake) {
			this.waiting = new AbortController();
			await setTimeout(mostMs, undefined, { signal: this.waiting.signal }).catch(() => {});
			this.waiting = undefined;
		}
		this.isAwake = false;
	}
}
