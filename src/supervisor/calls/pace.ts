/** The pace: how many calls a second the run makes, from what the service was seen to let through. Pure. */

/** A pace as it was at the time `since`. From then on it grows, with each call and with time. */
export interface Pace {
	readonly perSecond: number;
	readonly since: number;
}

/** The time between two refusals that slowed the run down, with the calls that were started in it. */
export interface Epoch {
	readonly number: number;
	readonly starts: readonly number[];
	readonly refused: number;
	/** The time of the first refusal, which ended the epoch. */
	readonly endedAt: number;
}

const LEAST_PER_SECOND = 0.1;
const SAFE_SHARE = 0.8; // of what the service let through: a little less is not refused again at once
const WINDOW_MS = 5_000; // the last part of an epoch, which shows its pace: idle time before it does not count
const LEAST_WINDOW_MS = 1_000;
const LEAST_CALLS = 3;
const LEAST_RUSH_PER_SECOND = 1;
const GROWTH_PER_CALL = 0.01; // by calls, not by time: at any pace, the same share of calls is refused
const FAST_CALLS = 100; // the square term doubles the pace after this many calls
const FAST_MS = 120_000; // and after this time, for a run that makes few calls

/** An epoch that begins now. */
export function newEpoch(number = 1): Epoch {
	return { number, starts: [], refused: 0, endedAt: 0 };
}

/**
 * The pace after a refusal has ended an epoch. An epoch without an accepted call teaches nothing: the service may be down,
 * with its limit not reached. One with few calls, as of a single agent, does not show how many would have been accepted.
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
	const perSecond = SAFE_SHARE * Math.min(before?.perSecond ?? Number.POSITIVE_INFINITY, letThrough);
	return { perSecond: Math.max(LEAST_PER_SECOND, perSecond), since };
}

/** The pace now. `calls`: how many calls were made since the pace was set. */
export function grownPace(pace: Pace | undefined, calls: number, now: number): Pace | undefined {
	if (pace === undefined || now <= pace.since) return pace;
	const growth = calls * GROWTH_PER_CALL + (calls / FAST_CALLS) ** 2 + ((now - pace.since) / FAST_MS) ** 2;
	return { perSecond: pace.perSecond * (1 + growth), since: now };
}
