/** How many calls a second are made: as many as the service was seen to let through. Pure. */

/** Calls a second at the time `since`. From then on the pace grows, with each call and with time. */
export interface Pace {
	readonly perSecond: number;
	readonly since: number;
}

/** The time between two refusals that slowed the tree down, and the calls that were started in it. */
export interface Epoch {
	readonly number: number;
	readonly starts: readonly number[];
	readonly refused: number;
	/** Time of the first refusal, which ended the epoch. */
	readonly endedAt: number;
}

const LEAST_PER_SECOND = 0.1;
const CUT = 0.8;
/** How much of an epoch is looked at: enough to see a pace, and so little that idle time before it does not count. */
const WINDOW_MS = 5_000;
const LEAST_WINDOW_MS = 1_000;
const LEAST_CALLS = 3;
const LEAST_RUSH_PER_SECOND = 1;
const GROWTH_PER_CALL = 0.01; // by calls and not by time, so that no greater part of a slow pace is refused than of a fast one
const FAST_CALLS = 100; // after so many calls the square alone has doubled the pace
const FAST_MS = 120_000; // the same for time, for a tree that calls seldom

export function firstEpoch(number = 1): Epoch {
	return { number, starts: [], refused: 0, endedAt: 0 };
}

/**
 * The pace after an epoch has ended by a refusal. When no call of it was let through, nothing is learned: the service may be
 * down, with its limit not reached. When few were made, as by one agent, their number does not tell how many would have been let
 * through.
 */
export function paceAfter(
	{ starts, refused, endedAt }: Epoch,
	before: Pace | undefined,
	since: number,
): Pace | undefined {
	const recent = starts.filter((at) => at > endedAt - WINDOW_MS);
	if (recent.length <= refused) return before && { ...before, since };
	const rushMs = endedAt - (recent[0] ?? endedAt);
	const isRush = recent.length >= LEAST_CALLS && recent.length / rushMs >= LEAST_RUSH_PER_SECOND / 1000;
	if (before === undefined && !isRush) return undefined;
	const wasHeldByPace = before === undefined || recent.length / rushMs >= before.perSecond / 2 / 1000;
	const spanSeconds = Math.max(LEAST_WINDOW_MS, rushMs) / 1000;
	const letThrough = wasHeldByPace ? (recent.length - refused) / spanSeconds : Number.POSITIVE_INFINITY;
	const perSecond = CUT * Math.min(before?.perSecond ?? Number.POSITIVE_INFINITY, letThrough);
	return { perSecond: Math.max(LEAST_PER_SECOND, perSecond), since };
}

/** The pace now. `calls`: how many were made since the pace was set. */
export function grownPace(pace: Pace | undefined, calls: number, now: number): Pace | undefined {
	if (pace === undefined || now <= pace.since) return pace;
	const growth = calls * GROWTH_PER_CALL + (calls / FAST_CALLS) ** 2 + ((now - pace.since) / FAST_MS) ** 2;
	return { perSecond: pace.perSecond * (1 + growth), since: now };
}
