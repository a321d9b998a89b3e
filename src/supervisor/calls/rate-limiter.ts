/**
 * One rate limiter for all calls of the tree that go to a service. A refusal pauses them all. The number of calls in flight
 * is halved at once, and grows by about one a round. Since a service also counts calls a second, there is a pace, too: a
 * fifth below what the service has let through, growing slowly. Refusals of calls that were made before the pace was
 * lowered are the same event seen many times: they lower nothing more, they only tell more exactly what was let through.
 * Pure: state, event and time in, state and permits out.
 */
import { defined } from "../../core/defined.ts";
import type { RateLimit } from "../../core/model.ts";
import type { Usage } from "../../core/usage.ts";
import { type Epoch, firstEpoch, grownPace, type Pace, paceAfter } from "./pace.ts";
import {
	mayStartAt,
	meanTokensAfter,
	NO_QUOTA,
	quotaAfter,
	type ServiceQuota,
	spentOne,
	stopsUntil,
} from "./service-quota.ts";

export interface Wanting {
	readonly id: number;
	/** Depth of the agent: the deepest agents are nearest to finishing. */
	readonly depth: number;
	readonly joinedAt: number;
	/** Since when the call waits, its earlier tries included. */
	readonly since: number;
}

interface Flying {
	readonly id: number;
	readonly startedAt: number;
	readonly epoch: number;
}

export interface RateLimiter {
	readonly waiting: readonly Wanting[];
	readonly flying: readonly Flying[];
	/** How many calls may be in flight; no whole number, since it grows by parts. */
	readonly maxCalls: number;
	readonly pace: Pace | undefined;
	readonly epoch: Epoch;
	/** The epoch before, whose refusals may still come in, and the pace before it ended. */
	readonly closed: { readonly epoch: Epoch; readonly before: Pace | undefined } | undefined;
	readonly lastStartAt: number;
	readonly pausedUntil: number;
	/** Since when every call was refused; undefined once one was let through. */
	readonly refusedSince: number | undefined;
	/** How often in a row the tree was slowed down with no call let through in between. */
	readonly vain: number;
	readonly quota: ServiceQuota;
	/** The first pause after a refusal that names none. */
	readonly pauseMs: number;
}

export type RateLimiterEvent =
	| { is: "wanted"; call: Wanting }
	/** The call does not wait any more, or has ended. */
	| { is: "over"; id: number; usage?: Usage }
	/** The service has begun to answer. */
	| { is: "accepted"; id: number; limits: readonly RateLimit[] }
	| { is: "refused"; id: number; reason: string; afterMs?: number | undefined }
	| { is: "time_passed" };

export interface Slowed {
	reason: string;
	waitMs: number;
	maxCalls: number;
}

export interface RateLimiterStep {
	rateLimiter: RateLimiter;
	granted: number[];
	slowed?: Slowed;
	/** When to call again with `time_passed`, if no event comes before. */
	wakeAt: number | undefined;
}

const MAX_PAUSE_MS = 30_000;
const MAX_ASKED_PAUSE_MS = 300_000;
const AGING_MS = 20_000; // a wait of that time is worth one level of depth

export function newRateLimiter(pauseMs: number): RateLimiter {
	return {
		waiting: [],
		flying: [],
		maxCalls: Number.POSITIVE_INFINITY,
		pace: undefined,
		epoch: firstEpoch(),
		closed: undefined,
		lastStartAt: Number.NEGATIVE_INFINITY,
		pausedUntil: Number.NEGATIVE_INFINITY,
		refusedSince: undefined,
		vain: 0,
		quota: NO_QUOTA,
		pauseMs,
	};
}

export function stepRateLimiter(rateLimiter: RateLimiter, event: RateLimiterEvent, now: number): RateLimiterStep {
	const { rateLimiter: after, slowed } = afterEvent(rateLimiter, event, now);
	return { ...grant(after, now), ...defined({ slowed }) };
}

/** Waiting calls to give up: every call of the tree was refused for `maxMs` while they waited. */
export function spentWaits(rateLimiter: RateLimiter, now: number, maxMs: number): number[] {
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
			const flying = rateLimiter.flying.filter(({ id }) => id !== event.id);
			const quota = event.usage === undefined ? rateLimiter.quota : meanTokensAfter(rateLimiter.quota, event.usage);
			return { rateLimiter: { ...rateLimiter, waiting, flying, quota } };
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
	const flight = rateLimiter.flying.find((other) => other.id === id);
	if (flight === undefined) return { rateLimiter };
	const younger = rateLimiter.flying.filter(({ startedAt }) => startedAt > flight.startedAt).length;
	const quota = quotaAfter(rateLimiter.quota, limits, { younger, now });
	const { maxCalls } = rateLimiter;
	const after = { ...rateLimiter, quota, refusedSince: undefined, vain: 0, maxCalls: maxCalls + 1 / maxCalls };
	const until = stopsUntil(quota, now);
	if (until === undefined || stopsUntil(rateLimiter.quota, now) !== undefined) return { rateLimiter: after };
	return { rateLimiter: after, slowed: slowedBy(after, { reason: until.reason, until: until.at }, now) };
}

function refused(rateLimiter: RateLimiter, event: Extract<RateLimiterEvent, { is: "refused" }>, now: number): Changed {
	const flight = rateLimiter.flying.find(({ id }) => id === event.id);
	if (flight === undefined) return { rateLimiter };
	const flying = rateLimiter.flying.filter((other) => other !== flight);
	const refusedSince = rateLimiter.refusedSince ?? now;
	const { afterMs } = event;
	if (flight.epoch !== rateLimiter.epoch.number) {
		const pausedUntil =
			afterMs === undefined ? rateLimiter.pausedUntil : later(rateLimiter.pausedUntil, now + asked(afterMs));
		return { rateLimiter: { ...refined(rateLimiter, flight.epoch, now), flying, refusedSince, pausedUntil } };
	}
	const defaultMs = Math.min(MAX_PAUSE_MS, rateLimiter.pauseMs * 2 ** Math.min(rateLimiter.vain, 30));
	const pausedUntil = later(rateLimiter.pausedUntil, now + (afterMs === undefined ? defaultMs : asked(afterMs)));
	const epoch: Epoch = { ...rateLimiter.epoch, refused: 1, endedAt: now };
	const before = grownPace(rateLimiter.pace, rateLimiter.epoch.starts.length, now);
	const after: RateLimiter = {
		...rateLimiter,
		flying,
		refusedSince,
		pausedUntil,
		maxCalls: Math.max(1, Math.floor(Math.min(rateLimiter.maxCalls, rateLimiter.flying.length) / 2)),
		closed: { epoch, before },
		pace: paceAfter(epoch, before, pausedUntil),
		epoch: firstEpoch(epoch.number + 1),
		vain: rateLimiter.vain + 1,
	};
	return { rateLimiter: after, slowed: slowedBy(after, { reason: event.reason, until: pausedUntil }, now) };
}

/** After one more refusal of a call from an epoch that has ended: only the pace is measured anew. */
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
	const waiting = rateLimiter.waiting.length + rateLimiter.flying.length;
	const maxCalls = Math.floor(Math.min(rateLimiter.maxCalls, Math.max(1, waiting)));
	return { reason, waitMs: Math.max(0, Math.round(until - now)), maxCalls };
}

/** Grants the calls of the deepest agents first, then of the oldest. Each 20 s of waiting lift a call by a level, so none starves. */
function grant(rateLimiter: RateLimiter, now: number): RateLimiterStep {
	const granted: number[] = [];
	const level = ({ depth, since }: Wanting) => depth + Math.floor((now - since) / AGING_MS);
	const order = [...rateLimiter.waiting].sort((a, b) => level(b) - level(a) || a.joinedAt - b.joinedAt || a.id - b.id);
	let state = rateLimiter;
	for (const { id } of order) {
		if (state.flying.length >= Math.floor(state.maxCalls)) return { rateLimiter: state, granted, wakeAt: undefined };
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
		flying: [...rateLimiter.flying, { id, startedAt: now, epoch: epoch.number }],
		epoch: { ...epoch, starts: [...epoch.starts.slice(-999), now] },
		lastStartAt: now,
		quota: spentOne(rateLimiter.quota),
	};
}

function earliestStart(rateLimiter: RateLimiter, now: number): number {
	const { pausedUntil, pace, epoch, lastStartAt, quota, waiting, flying } = rateLimiter;
	const grown = grownPace(pace, epoch.starts.length, now);
	const paced = grown === undefined ? lastStartAt : lastStartAt + 1000 / grown.perSecond;
	const demand = waiting.length + flying.length;
	return Math.max(pausedUntil, paced, mayStartAt(quota, { demand, lastStartAt, now }));
}
