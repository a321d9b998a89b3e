/**
 * One governor for all calls of the tree that go to the service. A refusal (429, 529) pauses them all; the number of calls
 * in flight is halved at once and grows by about one a round; and since a service counts calls a second as well, so does
 * the pace: the one that was let through, less a fifth, growing slowly. Refusals of calls that were made before the pace
 * was lowered are the same event seen many times: they lower nothing, they only tell more exactly what was let through.
 * Pure: state, event and time in, state and permits out.
 */
import type { RateLimit, Usage } from "../../core/model.ts";
import { type Epoch, firstEpoch, grownPace, type Pace, paceAfter } from "./pace.ts";
import {
	type Allowance,
	allowanceAfter,
	mayStartAt,
	meanTokensAfter,
	NO_ALLOWANCE,
	spentOne,
	stopsUntil,
} from "./service-quota.ts";

export interface Wanting {
	readonly id: number;
	/** Of its agent: the deepest are nearest to finishing. */
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

export interface Governor {
	readonly waiting: readonly Wanting[];
	readonly flying: readonly Flying[];
	/** Not whole: it grows by parts. */
	readonly maxCalls: number;
	readonly pace: Pace | undefined;
	readonly epoch: Epoch;
	/** The one before, whose refusals may still come in, and the pace that it had. */
	readonly closed: { readonly epoch: Epoch; readonly before: Pace | undefined } | undefined;
	readonly lastStartAt: number;
	readonly pausedUntil: number;
	/** Since when every call was refused. */
	readonly refusedSince: number | undefined;
	/** How often in a row it was slowed with no call let through in between. */
	readonly vain: number;
	readonly allowance: Allowance;
	/** The first pause after a refusal that names none. */
	readonly pauseMs: number;
}

export type GovernorEvent =
	| { is: "wanted"; call: Wanting }
	/** It waits no more, or is over. */
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

export interface Governed {
	governor: Governor;
	granted: number[];
	slowed?: Slowed;
	/** When there is something to do again, if nothing happens before. */
	wakeAt: number | undefined;
}

const MAX_PAUSE_MS = 30_000;
const MAX_ASKED_PAUSE_MS = 300_000;
const AGING_MS = 20_000; // a wait of that time is worth one level of depth

export function newGovernor(pauseMs: number): Governor {
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
		allowance: NO_ALLOWANCE,
		pauseMs,
	};
}

export function govern(governor: Governor, event: GovernorEvent, now: number): Governed {
	const { governor: after, slowed } = afterEvent(governor, event, now);
	return { ...grant(after, now), ...(slowed && { slowed }) };
}

/** Waiting calls that are to be given up: for that long, every call of the tree was refused. */
export function spentWaits(governor: Governor, now: number, maxMs: number): number[] {
	const { refusedSince, waiting } = governor;
	if (refusedSince === undefined) return [];
	return waiting.filter(({ since }) => now - Math.max(since, refusedSince) >= maxMs).map(({ id }) => id);
}

type Changed = { governor: Governor; slowed?: Slowed | undefined };

function afterEvent(governor: Governor, event: GovernorEvent, now: number): Changed {
	switch (event.is) {
		case "wanted":
			return { governor: { ...governor, waiting: [...governor.waiting, event.call] } };
		case "over": {
			const waiting = governor.waiting.filter(({ id }) => id !== event.id);
			const flying = governor.flying.filter(({ id }) => id !== event.id);
			const allowance =
				event.usage === undefined ? governor.allowance : meanTokensAfter(governor.allowance, event.usage);
			return { governor: { ...governor, waiting, flying, allowance } };
		}
		case "accepted":
			return accepted(governor, event, now);
		case "refused":
			return refused(governor, event, now);
		case "time_passed":
			return { governor };
	}
}

function accepted(
	governor: Governor,
	{ id, limits }: Extract<GovernorEvent, { is: "accepted" }>,
	now: number,
): Changed {
	const flight = governor.flying.find((other) => other.id === id);
	if (flight === undefined) return { governor };
	const younger = governor.flying.filter(({ startedAt }) => startedAt > flight.startedAt).length;
	const allowance = allowanceAfter(governor.allowance, limits, { younger, now });
	const { maxCalls } = governor;
	const after = { ...governor, allowance, refusedSince: undefined, vain: 0, maxCalls: maxCalls + 1 / maxCalls };
	const until = stopsUntil(allowance, now);
	if (until === undefined || stopsUntil(governor.allowance, now) !== undefined) return { governor: after };
	return { governor: after, slowed: slowedBy(after, { reason: until.reason, until: until.at }, now) };
}

function refused(governor: Governor, event: Extract<GovernorEvent, { is: "refused" }>, now: number): Changed {
	const flight = governor.flying.find(({ id }) => id === event.id);
	if (flight === undefined) return { governor };
	const flying = governor.flying.filter((other) => other !== flight);
	const refusedSince = governor.refusedSince ?? now;
	const { afterMs } = event;
	if (flight.epoch !== governor.epoch.number) {
		const pausedUntil =
			afterMs === undefined ? governor.pausedUntil : later(governor.pausedUntil, now + asked(afterMs));
		return { governor: { ...refined(governor, flight.epoch, now), flying, refusedSince, pausedUntil } };
	}
	const defaultMs = Math.min(MAX_PAUSE_MS, governor.pauseMs * 2 ** Math.min(governor.vain, 30));
	const pausedUntil = later(governor.pausedUntil, now + (afterMs === undefined ? defaultMs : asked(afterMs)));
	const epoch: Epoch = { ...governor.epoch, refused: 1, endedAt: now };
	const before = grownPace(governor.pace, governor.epoch.starts.length, now);
	const after: Governor = {
		...governor,
		flying,
		refusedSince,
		pausedUntil,
		maxCalls: Math.max(1, Math.floor(Math.min(governor.maxCalls, governor.flying.length) / 2)),
		closed: { epoch, before },
		pace: paceAfter(epoch, before, pausedUntil),
		epoch: firstEpoch(epoch.number + 1),
		vain: governor.vain + 1,
	};
	return { governor: after, slowed: slowedBy(after, { reason: event.reason, until: pausedUntil }, now) };
}

/** Another refusal of what was already answered by going slower. */
function refined(governor: Governor, number: number, now: number): Governor {
	const { closed, pausedUntil } = governor;
	if (closed?.epoch.number !== number) return governor;
	const epoch = { ...closed.epoch, refused: closed.epoch.refused + 1 };
	return { ...governor, closed: { ...closed, epoch }, pace: paceAfter(epoch, closed.before, later(pausedUntil, now)) };
}

function asked(afterMs: number): number {
	return Math.min(afterMs, MAX_ASKED_PAUSE_MS);
}

function later(a: number, b: number): number {
	return Math.max(a, b);
}

function slowedBy(governor: Governor, { reason, until }: { reason: string; until: number }, now: number): Slowed {
	const waiting = governor.waiting.length + governor.flying.length;
	const maxCalls = Math.floor(Math.min(governor.maxCalls, Math.max(1, waiting)));
	return { reason, waitMs: Math.max(0, Math.round(until - now)), maxCalls };
}

/** Deepest first, then the oldest agent; each 20 s of waiting lift a call by a level, so that nobody starves. */
function grant(governor: Governor, now: number): Governed {
	const granted: number[] = [];
	const level = ({ depth, since }: Wanting) => depth + Math.floor((now - since) / AGING_MS);
	const order = [...governor.waiting].sort((a, b) => level(b) - level(a) || a.joinedAt - b.joinedAt || a.id - b.id);
	let state = governor;
	for (const { id } of order) {
		if (state.flying.length >= Math.floor(state.maxCalls)) return { governor: state, granted, wakeAt: undefined };
		const startAt = earliestStart(state, now);
		if (startAt > now) return { governor: state, granted, wakeAt: startAt };
		granted.push(id);
		state = started(state, id, now);
	}
	return { governor: state, granted, wakeAt: undefined };
}

function started(governor: Governor, id: number, now: number): Governor {
	const { epoch } = governor;
	return {
		...governor,
		waiting: governor.waiting.filter((other) => other.id !== id),
		flying: [...governor.flying, { id, startedAt: now, epoch: epoch.number }],
		epoch: { ...epoch, starts: [...epoch.starts.slice(-999), now] },
		lastStartAt: now,
		allowance: spentOne(governor.allowance),
	};
}

function earliestStart(governor: Governor, now: number): number {
	const { pausedUntil, pace, epoch, lastStartAt, allowance, waiting, flying } = governor;
	const grown = grownPace(pace, epoch.starts.length, now);
	const paced = grown === undefined ? lastStartAt : lastStartAt + 1000 / grown.perSecond;
	const demand = waiting.length + flying.length;
	return Math.max(pausedUntil, paced, mayStartAt(allowance, { demand, lastStartAt, now }));
}
