/**
 * The clients of which something is to be read. One that comes alone is read at once. Of many, one is read after the other, each
 * for a few milliseconds, and then stands behind all others; and between two rounds everything else of the supervisor has its turn.
 */
const ROUND_MS = 10;

export interface TurnTaker {
	/** Reads on for a few milliseconds. True: there is more to read. */
	takeTurn(): boolean;
}

export class TurnQueue {
	private readonly elapsed: () => number;
	private readonly soon: (then: () => void) => void;
	private readonly waiting = new Set<TurnTaker>();
	/** When the time for this turn of the event loop is over; undefined: nothing has been read in it. */
	private until: number | undefined;
	private isReading = false;

	/** `soon` calls back after what else is due in this turn of the event loop. */
	constructor(elapsed: () => number, soon: (then: () => void) => void = setImmediate) {
		this.elapsed = elapsed;
		this.soon = soon;
	}

	add(client: TurnTaker): void {
		this.waiting.add(client);
		if (this.isReading) return;
		if (this.until === undefined) this.begin();
		this.readOn();
	}

	remove(client: TurnTaker): void {
		this.waiting.delete(client);
	}

	private begin(): void {
		this.until = this.elapsed() + ROUND_MS;
		this.soon(() => {
			this.until = undefined;
			if (this.waiting.size === 0) return;
			this.begin();
			this.readOn();
		});
	}

	/** One turn for each that waits now, as long as there is time. */
	private readOn(): void {
		this.isReading = true;
		try {
			for (const client of [...this.waiting]) {
				if (this.until === undefined || this.elapsed() >= this.until) return;
				if (!this.waiting.delete(client)) continue; // it was closed by what another one said
				if (client.takeTurn()) this.waiting.add(client);
			}
		} finally {
			this.isReading = false;
		}
	}
}
