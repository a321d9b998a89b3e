/**
 * The memory for lines that have begun, over all clients. Short ones are free; the others have a bound in common, and who finds
 * no room waits, unread. The one that has held its room longest may always go on, so that somebody always comes to an end;
 * and whoever takes too long while others wait is told to go.
 */
const FREE_BYTES = 64 * 1024;
const MAX_BYTES = 256 * 1024 * 1024;
const MAX_HOLD_MS = 10_000; // an honest line is read in milliseconds

export interface LineHolder {
	/** Its line takes too long, while others wait. */
	tooSlow(): void;
}

export class LineMemory {
	private readonly maxBytes: number;
	private readonly elapsed: () => number;
	/** In the order in which they began. */
	private readonly holders = new Map<LineHolder, { bytes: number; since: number }>();
	private readonly waiting = new Map<LineHolder, () => void>();

	constructor(elapsed: () => number, maxBytes = MAX_BYTES) {
		this.elapsed = elapsed;
		this.maxBytes = maxBytes;
	}

	/** Whether the client may keep so many bytes in all. If not, `retry` is called once when there may be room. */
	hold(client: LineHolder, bytes: number, retry: () => void): boolean {
		if (bytes <= FREE_BYTES) return true;
		const held = this.holders.get(client);
		const [oldest = client] = this.holders.keys();
		const sum = [...this.holders.values()].reduce((before, holder) => before + holder.bytes, 0);
		if (client !== oldest && sum - (held?.bytes ?? 0) + bytes > this.maxBytes) {
			this.waiting.set(client, retry);
			return false;
		}
		this.holders.set(client, { bytes, since: held?.since ?? this.elapsed() });
		return true;
	}

	/** The client's line is over, or the client has gone. */
	release(client: LineHolder): void {
		this.waiting.delete(client);
		if (!this.holders.delete(client)) return;
		const retries = [...this.waiting.values()];
		this.waiting.clear();
		for (const retry of retries) retry();
	}

	/** To be called every second or so. */
	hurry(): void {
		if (this.waiting.size === 0) return;
		const latest = this.elapsed() - MAX_HOLD_MS;
		for (const [client, { since }] of [...this.holders]) if (since < latest) client.tooSlow();
	}
}
