/** How often something that others cause is told: some at once, then one a second, so that who floods does not flood the log. */
const BURST = 20;
const EVERY_MS = 1_000;

export class EventAllowance {
	private readonly burst: number;
	private left: number;
	private at = 0;
	private untold = 0;

	constructor(burst = BURST) {
		this.burst = burst;
		this.left = burst;
	}

	/** Undefined: not to be told now. `others`: so many were not told before this one. `isDue`: this one is told in any case. */
	take(now: number, isDue = false): { readonly others: number | undefined } | undefined {
		const gained = Math.max(0, Math.floor((now - this.at) / EVERY_MS)); // the clock may be set back
		if (gained > 0 || now < this.at) this.at = now;
		this.left = Math.min(this.burst, this.left + gained);
		if (this.left === 0 && !isDue) {
			this.untold += 1;
			return undefined;
		}
		this.left = Math.max(0, this.left - 1);
		const others = this.untold === 0 ? undefined : this.untold;
		this.untold = 0;
		return { others };
	}
}
