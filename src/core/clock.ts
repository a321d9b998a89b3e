/** A source of time, which tests move by hand. */
export interface Clock {
	/** Milliseconds since the epoch, for records. The system's time may be set back. */
	now(): number;
	/** Milliseconds of a monotonic clock, for durations. */
	elapsed(): number;
	/** Calls `then` once, after `ms`. The result cancels that. */
	after(ms: number, then: () => void): () => void;
}

/** A clock that measures durations only. */
export type Timer = Pick<Clock, "elapsed" | "after">;
