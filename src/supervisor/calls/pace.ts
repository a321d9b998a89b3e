/** How many calls a second the service has let through, and so how many are made. Pure. */

/** Calls a second at `since`; it grows from there, with each call and with time. */
export interface Pace {
	readonly perSecond: number;
	readonly since: number;
}

/** The time between two refusals that made the tree slower, and the calls that were started in it. */
export interface Epoch {
	readonly number: number;
	readonly starts: readonly number[];
	readonly refused: number;
	/** Of its first refusal. */
	readonly endedAt: number;
}

const LEAST_PER_SECOND = 0.1;
const CUT = 0.8;
/** What is looked at: long enough for a pace, short enough that an idle time before does not make it a slow one. */
const WINDOW_MS = 5_000;
const LEAST_WINDOW_MS = 1_000;
const LEAST_CALLS = 3;
const LEAST_RUSH_PER_SECOND = 1;
const GROWTH_PER_CALL = 0.01; // by calls, so that of a slow pace no greater part is refused than of a fast one
const FAST_CALLS = 100; // with so many calls it has doubled by that alone, from then on it grows ever faster
const FAST_MS = 120_000; // the same for time, for who calls seldom

export function firstEpoch(number = 1): Epoch {
	return { number, starts: [], refused: 0, endedAt: 0 };
}

/**
 * Where no call was let through nothing is known about a pace: the service is down, not its limit reached. Where few were
 * made, as one agent makes them, their number is no measure of what would be let through.
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

/** `calls`: made at this pace so far. */
export function grownPace(pace: Pace | undefined, calls: number, now: number): Pace | undefined {
	if (pace === undefined || now <= pace.since) return pace;
	const growth = calls * GROWTH_PER_CALL + (calls / FAST_CALLS) ** 2 + ((now - pace.since) / FAST_MS) ** 2;
	return { perSecond: pace.perSecond * (1 + growth), since: now };
}
