/** How long a run waits for a service that is slow, silent or busy. Milliseconds. */
export interface RetryPolicy {
	/** The longest silence before the first event of an answer and between two; pings do not count. */
	readonly maxSilenceMs: number;
	/** From the first failure of a call until it is given up, all waits included. */
	readonly retryTimeMs: number;
	/** The most that the first wait before a retry may be; the waits double from there. */
	readonly retryWaitMs: number;
}

export const DEFAULT_RETRY_POLICY: RetryPolicy = { maxSilenceMs: 90_000, retryTimeMs: 600_000, retryWaitMs: 1_000 };
