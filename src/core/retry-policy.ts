/** How long a run bears with a service that is slow, silent or busy. Milliseconds. */
export interface RetryPolicy {
	/** Between two events of an answer, and until its first; pings do not count. */
	readonly maxSilenceMs: number;
	/** From a call's first failure until it is given up, all waits included. */
	readonly retryTimeMs: number;
	/** The first wait before a call is made again, at most; the waits double from there. */
	readonly retryWaitMs: number;
}

export const DEFAULT_RETRY_POLICY: RetryPolicy = { maxSilenceMs: 90_000, retryTimeMs: 600_000, retryWaitMs: 1_000 };
