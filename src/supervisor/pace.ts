/** How many calls a second the service has let through, and so how many are made. Pure. */

/** Calls a second at `since`; it grows from there. */
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
const GROWTH_PER_SECOND = 0.1;
const GROWTH_SHARE = 0.02; // of a fast pace

export function firstEpoch(number = 1): Epoch {
	return { number, starts: [], refused: 0, endedAt: 0 };
}

/** A single call that was refused says nothing about a pace. */
export function paceAfter(
	{ starts, refused, endedAt }: Epoch,
	before: Pace | undefined,
	since: number,
): Pace | undefined {
	const recent = starts.filter((at) => at > endedAt - WINDOW_MS);
	if (before === undefined && recent.length < 2) return undefined;
	const spanMs = Math.min(WINDOW_MS, Math.max(LEAST_WINDOW_MS, endedAt - (recent[0] ?? endedAt)));
	const letThrough = Math.max(1, recent.length - refused) / (spanMs / 1000);
	const perSecond = CUT * Math.min(before?.perSecond ?? Number.POSITIVE_INFINITY, letThrough);
	return { perSecond: Math.max(LEAST_PER_SECOND, perSecond), since };
}

export function grownPace(pace: Pace | undefined, now: number): Pace | undefined {
	if (pace === undefined || now <= pace.since) return pace;
	const growth = Math.max(GROWTH_PER_SECOND, pace.perSecond * GROWTH_SHARE);
	return { perSecond: pace.perSecond + (growth * (now - pace.since)) / 1000, since: now };
}
