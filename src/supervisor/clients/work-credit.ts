/**
 * How much of the supervisor's time one client may take: a fifth at most, for longer than a moment. Whoever has used up its
 * credit is not read until it has some again, so a flood is held back in the sender, and nobody else waits for it.
 */
const SHARE = 0.2;
const MOST_MS = 1_000;

export class WorkCredit {
	private leftMs = MOST_MS;
	private at: number;

	constructor(now: number) {
		this.at = now;
	}

	/** Work was done for the client from `began` to `now`. Gives the milliseconds for which it has to wait. */
	spend(began: number, now: number): number {
		this.leftMs = Math.min(MOST_MS, this.leftMs + SHARE * (began - this.at)) - (now - began);
		this.at = now;
		return this.leftMs >= 0 ? 0 : -this.leftMs / SHARE;
	}
}
