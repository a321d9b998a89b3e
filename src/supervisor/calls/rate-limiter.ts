/**
 * One rate limiter for all calls of the run that go to a service. A refusal pauses them all. It halves the number of calls
 * that may be in flight, which then grows by about one a round. Since a service also counts calls a second, the limiter keeps
 * a pace, too: a fifth below what the service let through, growing slowly. Refusals of calls that were made before the pace
 * was lowered show the same overload again: they lower nothing more, and only correct the measure of what was let through.
 * Pure: state, event and time in, state and permits out.
 */
import { defined } from "../../core/defined.ts";
import type { RateLimit } from "../../core/model/model.ts";
import type { Usage } from "../../core/model/usage.ts";

export interface WaitingCall {
	readonly id: number;
	/** The depth of its agent: the deepest agents are nearest to finishing. */
	readonly depth: number;
	/** When its agent joined. */
	readonly joinedAt: number;
	/** Since when the call waits, from before its first attempt. */
	readonly since: number;
}

interface CallInFlight {
	readonly id: number;
	readonly startedAt: number;
	readonly epoch: number;
}

export interface RateLimiter {
	readonly waiting: readonly WaitingCall[];
	readonly inFlight: readonly CallInFlight[];
	/** How many calls may be in flight; a fraction, since it grows by parts of a call. */
	readonly maxCalls: number;
	readonly pace: Pace | undefined;
	readonly epoch: Epoch;
	/** The previous epoch, whose refusals may still come in, and the pace before it ended. */
	readonly closed: { readonly epoch: Epoch; readonly before: Pace | undefined } | undefined;
	readonly lastStartAt: number;
	readonly pausedUntil: number;
	/** Since when every call was refused; undefined once one was accepted. */
	readonly refusedSince: number | undefined;
	/** How often the run was slowed down since the last call that was accepted. */
	readonly slowdownsInARow: number;
	readonly quota: ServiceQuota;
	/** The first pause after a refusal that names none. */
	readonly pauseMs: number;
}

export type RateLimiterEvent =
	| { is: "wanted"; call: WaitingCall }
	/** The call has ended, or waits no longer. */
	| { is: "over"; id: number; usage?: Usage }
	/** The service has begun to answer. */
	| { is: "accepted"; id: number; limits: readonly RateLimit[] }
	| { is: "refused"; id: number; reason: string; afterMs?: number | undefined }
	| { is: "time_passed" };

/** The run's calls were slowed: paused for `waitMs`, and then at most `maxCalls` at once. */
export interface Slowed {
	reason: string;
	waitMs: number;
	maxCalls: number;
}

interface RateLimiterStep {
	rateLimiter: RateLimiter;
	granted: number[];
	slowed?: Slowed;
	/** When to step again with `time_passed`, if no event comes before. */
	wakeAt: number | undefined;
}

const MAX_PAUSE_MS = 30_000;
const MAX_ASKED_PAUSE_MS = 300_000;
const AGING_MS = 20_000; // a call that has waited this long counts as one level deeper

export function newRateLimiter(pauseMs: number): RateLimiter {
	return {
		waiting: [],
		inFlight: [],
		maxCalls: Number.POSITIVE_INFINITY,
		pace: undefined,
		epoch: newEpoch(),
		closed: undefined,
		lastStartAt: Number.NEGATIVE_INFINITY,
		pausedUntil: Number.NEGATIVE_INFINITY,
		refusedSince: undefined,
		slowdownsInARow: 0,
		quota: NO_QUOTA,
		pauseMs,
	};
}

/** One step of the rate limiter: applies the event, then grants the calls that may start at `now`. */
export function stepRateLimiter(rateLimiter: RateLimiter, event: RateLimiterEvent, now: number): RateLimiterStep {
	const { rateLimiter: after, slowed } = afterEvent(rateLimiter, event, now);
	return { ...grant(after, now), ...defined({ slowed }) };
}

/** The waiting calls to give up: every call of the run was refused for `maxMs` while they waited. */
export function expiredWaits(rateLimiter: RateLimiter, now: number, maxMs: number): number[] {
	const { refusedSince, waiting } = rateLimiter;
	if (refusedSince === undefined) return [];
	return waiting.filter(({ since }) => now - Math.max(since, refusedSince) >= maxMs).map(({ id }) => id);
}

type Changed = { rateLimiter: RateLimiter; slowed?: Slowed | undefined };

function afterEvent(rateLimiter: RateLimiter, event: RateLimiterEvent, now: number): Changed {
	switch (event.is) {
		case "wanted":
			return { rateLimiter: { ...rateLimiter, waiting: [...rateLimiter.waiting, event.call] } };
		case "over": {
			const waiting = rateLimiter.waiting.filter(({ id }) => id !== event.id);
			const inFlight = rateLimiter.inFlight.filter(({ id }) => id !== event.id);
			const quota = event.usage === undefined ? rateLimiter.quota : meanTokensAfter(rateLimiter.quota, event.usage);
			return { rateLimiter: { ...rateLimiter, waiting, inFlight, quota } };
		}
		case "accepted":
			return accepted(rateLimiter, event, now);
		case "refused":
			return refused(rateLimiter, event, now);
		case "time_passed":
			return { rateLimiter };
	}
}

function accepted(
	rateLimiter: RateLimiter,
	{ id, limits }: Extract<RateLimiterEvent, { is: "accepted" }>,
	now: number,
): Changed {
	const call = rateLimiter.inFlight.find((other) => other.id === id);
	if (call === undefined) return { rateLimiter };
	const younger = rateLimiter.inFlight.filter(({ startedAt }) => startedAt > call.startedAt).length;
	const quota = quotaAfter(rateLimiter.quota, limits, { younger, now });
	const { maxCalls } = rateLimiter;
	const after = {
		...rateLimiter,
		quota,
		refusedSince: undefined,
		slowdownsInARow: 0,
		maxCalls: maxCalls + 1 / maxCalls,
	};
	const until = stopsUntil(quota, now);
	if (until === undefined || stopsUntil(rateLimiter.quota, now) !== undefined) return { rateLimiter: after };
	return { rateLimiter: after, slowed: slowedBy(after, { reason: until.reason, until: until.at }, now) };
}

function refused(rateLimiter: RateLimiter, event: Extract<RateLimiterEvent, { is: "refused" }>, now: number): Changed {
	const call = rateLimiter.inFlight.find(({ id }) => id === event.id);
	if (call === undefined) return { rateLimiter };
	const inFlight = rateLimiter.inFlight.filter((other) => other !== call);
	const refusedSince = rateLimiter.refusedSince ?? now;
	const { afterMs } = event;
	if (call.epoch !== rateLimiter.epoch.number) {
		const pausedUntil =
			afterMs === undefined ? rateLimiter.pausedUntil : later(rateLimiter.pausedUntil, now + asked(afterMs));
		return { rateLimiter: { ...refined(rateLimiter, call.epoch, now), inFlight, refusedSince, pausedUntil } };
	}
	const defaultMs = Math.min(MAX_PAUSE_MS, rateLimiter.pauseMs * 2 ** Math.min(rateLimiter.slowdownsInARow, 30));
	const pausedUntil = later(rateLimiter.pausedUntil, now + (afterMs === undefined ? defaultMs : asked(afterMs)));
	const epoch: Epoch = { ...rateLimiter.epoch, refused: 1, endedAt: now };
	const before = grownPace(rateLimiter.pace, rateLimiter.epoch.starts.length, now);
	const after: RateLimiter = {
		...rateLimiter,
		inFlight,
		refusedSince,
		pausedUntil,
		maxCalls: Math.max(1, Math.floor(Math.min(rateLimiter.maxCalls, rateLimiter.inFlight.length) / 2)),
		closed: { epoch, before },
		pace: paceAfter(epoch, before, pausedUntil),
		epoch: newEpoch(epoch.number + 1),
		slowdownsInARow: rateLimiter.slowdownsInARow + 1,
	};
	return { rateLimiter: after, slowed: slowedBy(after, { reason: event.reason, until: pausedUntil }, now) };
}

/** Counts one more refusal of a call from the previous epoch: only the pace is computed again. */
function refined(rateLimiter: RateLimiter, number: number, now: number): RateLimiter {
	const { closed, pausedUntil } = rateLimiter;
	if (closed?.epoch.number !== number) return rateLimiter;
	const epoch = { ...closed.epoch, refused: closed.epoch.refused + 1 };
	return {
		...rateLimiter,
		closed: { ...closed, epoch },
		pace: paceAfter(epoch, closed.before, later(pausedUntil, now)),
	};
}

function asked(afterMs: number): number {
	return Math.min(afterMs, MAX_ASKED_PAUSE_MS);
}

function later(a: number, b: number): number {
	return Math.max(a, b);
}

function slowedBy(rateLimiter: RateLimiter, { reason, until }: { reason: string; until: number }, now: number): Slowed {
	const waiting = rateLimiter.waiting.length + rateLimiter.inFlight.length;
	const maxCalls = Math.floor(Math.min(rateLimiter.maxCalls, Math.max(1, waiting)));
	return { reason, waitMs: Math.max(0, Math.round(until - now)), maxCalls };
}

/** Grants calls of the deepest agents first, then of the oldest. Each 20 s of waiting raise a call by one level, so none starves. */
function grant(rateLimiter: RateLimiter, now: number): RateLimiterStep {
	const granted: number[] = [];
	const level = ({ depth, since }: WaitingCall) => depth + Math.floor((now - since) / AGING_MS);
	const order = [...rateLimiter.waiting].sort((a, b) => level(b) - level(a) || a.joinedAt - b.joinedAt || a.id - b.id);
	let state = rateLimiter;
	for (const { id } of order) {
		if (state.inFlight.length >= Math.floor(state.maxCalls)) return { rateLimiter: state, granted, wakeAt: undefined };
		const startAt = earliestStart(state, now);
		if (startAt > now) return { rateLimiter: state, granted, wakeAt: startAt };
		granted.push(id);
		state = started(state, id, now);
	}
	return { rateLimiter: state, granted, wakeAt: undefined };
}

function started(rateLimiter: RateLimiter, id: number, now: number): RateLimiter {
	const { epoch } = rateLimiter;
	return {
		...rateLimiter,
		waiting: rateLimiter.waiting.filter((other) => other.id !== id),
		inFlight: [...rateLimiter.inFlight, { id, startedAt: now, epoch: epoch.number }],
		epoch: { ...epoch, starts: [...epoch.starts.slice(-999), now] },
		lastStartAt: now,
		quota: spentOne(rateLimiter.quota),
	};
}

function earliestStart(rateLimiter: RateLimiter, now: number): number {
	const { pausedUntil, pace, epoch, lastStartAt, quota, waiting, inFlight } = rateLimiter;
	const grown = grownPace(pace, epoch.starts.length, now);
	const paced = grown === undefined ? lastStartAt : lastStartAt + 1000 / grown.perSecond;
	const demand = waiting.length + inFlight.length;
	return Math.max(pausedUntil, paced, mayStartAt(quota, { demand, lastStartAt, now }));
}

/** The pace: how many calls a second the run makes, from what the service was seen to let through. Pure. */

/** A pace as it was at the time `since`. From then on it grows, with each call and with time. */
interface Pace {
	readonly perSecond: number;
	readonly since: number;
}

/** The time between two refusals that slowed the run down, with the calls that were started in it. */
interface Epoch {
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
function newEpoch(number = 1): Epoch {
	return { number, starts: [], refused: 0, endedAt: 0 };
}

/**
 * The pace after a refusal has ended an epoch. An epoch without an accepted call teaches nothing: the service may be down,
 * with its limit not reached. One with few calls, as of a single agent, does not show how many would have been accepted.
 */
function paceAfter({ starts, refused, endedAt }: Epoch, before: Pace | undefined, since: number): Pace | undefined {
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
function grownPace(pace: Pace | undefined, calls: number, now: number): Pace | undefined {
	if (pace === undefined || now <= pace.since) return pace;
	const growth = calls * GROWTH_PER_CALL + (calls / FAST_CALLS) ** 2 + ((now - pace.since) / FAST_MS) ** 2;
	return { perSecond: pace.perSecond * (1 + growth), since: now };
}

/**
 * The quota: the service's rate limits, as each answer reports what is left of them. When nothing is left of one, no call starts until the limit
 * is full again; when less is left than calls are wanted, the calls are spread over that time.
 */

/** A rate limit. `left`: how many more calls it allows; `resetAt`: when it is full again. */
interface Left {
	readonly what: RateLimit["what"];
	readonly left: number;
	readonly resetAt: number;
}

interface ServiceQuota {
	readonly limits: readonly Left[];
	/** Tokens of an average call as limits count them, without those read from the cache. Undefined before the first answer. */
	readonly mean: { readonly input: number; readonly output: number } | undefined;
}

const NO_QUOTA: ServiceQuota = { limits: [], mean: undefined };

const NEWEST_SHARE = 0.3;
const MAX_STOP_MS = 300_000;

/**
 * The quota after an answer that reports `limits`. `younger`: how many calls were started after the answered one, which the
 * service may not have counted yet.
 */
function quotaAfter(
	{ limits: before, mean }: ServiceQuota,
	limits: readonly RateLimit[],
	{ younger, now }: { younger: number; now: number },
): ServiceQuota {
	const known = limits.map(({ what, remaining, resetMs }): Left => {
		const left = Math.floor(remaining / tokensOf(what, mean)) - younger;
		return { what, left: remaining <= 0 ? 0 : Math.max(left, 0), resetAt: now + Math.min(resetMs, MAX_STOP_MS) };
	});
	const others = before.filter(({ what, resetAt }) => resetAt > now && !limits.some((limit) => limit.what === what));
	return { limits: [...others, ...known], mean };
}

/** The quota with the tokens of one more call in its averages. */
function meanTokensAfter(quota: ServiceQuota, { input, cacheWrite, output }: Usage): ServiceQuota {
	const next = { input: input + cacheWrite, output };
	const mixed = (old: number, newest: number) => old + NEWEST_SHARE * (newest - old);
	const { mean } = quota;
	if (mean === undefined) return { ...quota, mean: next };
	return { ...quota, mean: { input: mixed(mean.input, next.input), output: mixed(mean.output, next.output) } };
}

/** The quota after one more call has started. */
function spentOne({ limits, mean }: ServiceQuota): ServiceQuota {
	return { limits: limits.map((limit) => ({ ...limit, left: Math.max(0, limit.left - 1) })), mean };
}

/** Until when no call may be made, and why; undefined when one may be made now. */
function stopsUntil({ limits }: ServiceQuota, now: number): { at: number; reason: string } | undefined {
	const spent = limits.filter(({ left, resetAt }) => left < 1 && resetAt > now);
	const last = spent.sort((a, b) => b.resetAt - a.resetAt)[0];
	return last && { at: last.resetAt, reason: `the service has no ${WORDS[last.what]} left for now` };
}

/** The earliest time at which the next call may start. `demand`: how many calls are in flight or wait. */
function mayStartAt(
	quota: ServiceQuota,
	{ demand, lastStartAt, now }: { demand: number; lastStartAt: number; now: number },
): number {
	const spread = quota.limits
		.filter(({ left, resetAt }) => left >= 1 && left < demand && resetAt > now)
		.map(({ left, resetAt }) => lastStartAt + (resetAt - lastStartAt) / (left + 1));
	return Math.max(stopsUntil(quota, now)?.at ?? now, ...spread);
}

const WORDS = { requests: "requests", tokens: "tokens", input: "input tokens", output: "output tokens" };

function tokensOf(what: RateLimit["what"], mean: ServiceQuota["mean"]): number {
	if (what === "requests") return 1;
	const { input, output } = mean ?? { input: 1, output: 1 };
	return Math.max(1, what === "input" ? input : what === "output" ? output : input + output);
}
