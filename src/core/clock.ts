/** Where time comes from. Tests move it by hand. */
export interface Clock {
	/** Milliseconds since the epoch, for what is written down. The system's administrator may set it back. */
	now(): number;
	/** Milliseconds since some moment, for how long something takes. It never goes back. */
	elapsed(): number;
	/** Calls `then` once, after `ms`. Gives what calls it off. */
	after(ms: number, then: () => void): () => void;
}

/** For durations alone. */
export type Timer = Pick<Clock, "elapsed" | "after">;
