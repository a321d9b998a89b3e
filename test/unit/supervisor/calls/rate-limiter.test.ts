import { expect, test } from "vitest";
import type { RateLimit } from "../../../../src/core/model/model.ts";
import {
	expiredWaits,
	newRateLimiter,
	type RateLimiter,
	type RateLimiterEvent,
	stepRateLimiter,
} from "../../../../src/supervisor/calls/rate-limiter.ts";

/** A rate limiter that is given events; `granted` and `slowed` are of the newest one. */
function governed() {
	let rateLimiter: RateLimiter = newRateLimiter(1000);
	const run = {
		state: () => rateLimiter,
		dispatch: (event: RateLimiterEvent, now: number) => {
			const result = stepRateLimiter(rateLimiter, event, now);
			rateLimiter = result.rateLimiter;
			return result;
		},
		want: (id: number, now: number, given: { depth?: number; joinedAt?: number } = {}) =>
			run.dispatch({ is: "wanted", call: { id, depth: 1, joinedAt: id, since: now, ...given } }, now).granted,
		refuse: (id: number, now: number, afterMs?: number) =>
			run.dispatch({ is: "refused", id, reason: "slow down", afterMs }, now).slowed,
		accept: (id: number, now: number, limits: RateLimit[] = []) => run.dispatch({ is: "accepted", id, limits }, now),
		over: (id: number, now: number) => run.dispatch({ is: "over", id }, now).granted,
		/** Lets time go on from one wake to the next; gives who was granted, with the time. */
		until: (end: number, from: number) => {
			const granted: [number, number][] = [];
			for (let now: number | undefined = from; now !== undefined && now <= end; ) {
				const result = run.dispatch({ is: "time_passed" }, now);
				for (const id of result.granted) granted.push([now, id]);
				now = result.wakeAt === undefined ? undefined : Math.max(result.wakeAt, now + 1e-6);
			}
			return granted;
		},
	};
	return run;
}

test("until the service refuses, every call is made at once", () => {
	const run = governed();
	for (let id = 1; id <= 100; id++) expect(run.want(id, 0)).toEqual([id]);
});

test("a refusal pauses all calls for as long as the service says, and halves those in flight", () => {
	const run = governed();
	for (let id = 1; id <= 10; id++) run.want(id, 0);
	expect(run.refuse(1, 100, 5000)).toEqual({ reason: "slow down", waitMs: 5000, maxCalls: 5 });
	expect(run.want(11, 200)).toEqual([]);
	for (let id = 2; id <= 10; id++) run.over(id, 300);
	expect(run.until(5099, 300)).toEqual([]);
	expect(run.until(5100, 5100)).toEqual([[5100, 11]]);
});

test("refusals of calls of the same round are one event; one of a later call is another", () => {
	const run = governed();
	for (let id = 1; id <= 16; id++) run.want(id, 0);
	expect(run.refuse(1, 100)).toMatchObject({ maxCalls: 8, waitMs: 1000 });
	for (let id = 2; id <= 11; id++) expect(run.refuse(id, 110)).toBeUndefined();
	expect(run.state().maxCalls).toBe(8);
	expect(run.state().pace?.perSecond).toBe(4); // 5 of 16 were let through in a second, less a fifth
	for (let id = 12; id <= 16; id++) run.over(id, 500);
	for (let id = 21; id <= 24; id++) run.want(id, 600);
	expect(run.until(1100, 600)).toEqual([[1100, 21]]);
	expect(run.refuse(21, 1150)).toMatchObject({ maxCalls: 1, waitMs: 2000 }); // nothing got through since: a longer pause
});

test("a later refusal that asks for more makes the pause longer", () => {
	const run = governed();
	run.want(1, 0);
	run.want(2, 0);
	run.refuse(1, 10, 1000);
	run.refuse(2, 20, 9000);
	expect(run.state().pausedUntil).toBe(9020);
});

test("a service that asks for hours is asked again after five minutes", () => {
	const run = governed();
	run.want(1, 0);
	run.refuse(1, 0, 7_200_000);
	expect(run.state().pausedUntil).toBe(300_000);
});

test("what was lowered grows back by about one call a round, and slowly in pace", () => {
	const run = governed();
	for (let id = 1; id <= 8; id++) run.want(id, 0);
	run.refuse(1, 0);
	expect(run.state().maxCalls).toBe(4);
	for (let id = 2; id <= 5; id++) run.accept(id, 100);
	expect(run.state().maxCalls).toBeGreaterThan(4.8);
	expect(run.state().maxCalls).toBeLessThan(5);
});

test("a few calls that one agent makes, of which one is refused, leave no pace behind for others", () => {
	const run = governed();
	for (let id = 1; id <= 5; id++) {
		run.want(id, id * 2000);
		if (id < 5) run.over(id, id * 2000 + 1900);
	}
	run.refuse(5, 10_050);
	expect([run.state().pace, run.state().maxCalls]).toEqual([undefined, 1]);
});

test("a refusal while fewer calls were made than the pace allows lowers it by a fifth, not to what was made", () => {
	const run = governed();
	for (let id = 1; id <= 11; id++) run.want(id, 0);
	for (let id = 1; id <= 11; id++) run.refuse(id, 10 * id, 0);
	for (let id = 20; id <= 29; id++) run.want(id, 200);
	expect(run.state().pace).toBeUndefined(); // all were refused: the service is down
	const paced = governed();
	for (let id = 1; id <= 11; id++) paced.want(id, 0);
	paced.refuse(11, 10, 0);
	expect(paced.state().pace?.perSecond).toBe(8);
	for (let id = 1; id <= 10; id++) paced.over(id, 100);
	paced.want(12, 1000);
	paced.over(12, 1100);
	paced.want(13, 3000);
	paced.refuse(13, 3010);
	expect(paced.state().pace?.perSecond).toBeCloseTo(6.4, 0);
});

test("the deepest agents go first, of those the oldest; and each 20 s of waiting count as a level", () => {
	const order = (now: number) => {
		const run = governed();
		run.want(1, 0);
		run.refuse(1, 0, 0);
		run.over(1, 0);
		run.want(90, 0); // the one that is in flight
		run.want(2, 0, { depth: 0, joinedAt: 1 });
		run.want(3, now, { depth: 1, joinedAt: 50 });
		run.want(4, now, { depth: 2, joinedAt: 90 });
		run.want(5, now, { depth: 2, joinedAt: 80 });
		const ids: number[] = [];
		for (let last = 90; ids.length < 4; last = ids.at(-1) ?? 0) ids.push(...run.over(last, now + 1));
		return ids;
	};
	expect(order(1000)).toEqual([5, 4, 3, 2]);
	expect(order(41_000)).toEqual([2, 5, 4, 3]);
});

test("when the service says that nothing is left, no call is made until it has some again", () => {
	const run = governed();
	run.want(1, 0);
	const { slowed } = run.accept(1, 50, [{ what: "requests", remaining: 0, resetMs: 4000 }]);
	expect(slowed).toEqual({ reason: "the service has no requests left for now", waitMs: 4000, maxCalls: 1 });
	expect(run.want(2, 60)).toEqual([]);
	expect(run.accept(1, 70, [{ what: "requests", remaining: 0, resetMs: 3980 }]).slowed).toBeUndefined();
	expect(run.until(5000, 70)).toEqual([[4050, 2]]);
});

test("when less is left than is wanted it is spread over the time until there is more; for few calls it is not", () => {
	const run = governed();
	run.want(1, 0);
	run.accept(1, 0, [{ what: "requests", remaining: 3, resetMs: 4000 }]);
	expect(run.want(2, 0)).toEqual([2]);
	run.over(1, 0);
	for (let id = 3; id <= 6; id++) run.want(id, 0);
	const times = run.until(4000, 0).map(([at]) => Math.round(at));
	expect(times).toEqual([2000, 4000, 4000]); // call 3 was made at once: two were wanted, and two were left
});

test("tokens that are left count as calls of the size that calls have had", () => {
	const run = governed();
	run.want(1, 0);
	const usage = { input: 100, output: 50, cacheRead: 100_000, cacheWrite: 400 };
	run.dispatch({ is: "over", id: 1, usage }, 10);
	run.want(2, 20);
	run.accept(2, 30, [{ what: "input", remaining: 400, resetMs: 1000 }]);
	expect(run.want(3, 40)).toEqual([]);
	expect(run.until(1030, 40)).toEqual([[1030, 3]]);
});

test("a call that waits is given up only when for its whole time no call of the tree got through", () => {
	const run = governed();
	run.want(1, 0);
	run.refuse(1, 1000, 300_000);
	run.over(1, 1000);
	run.want(2, 5000);
	run.want(3, 50_000);
	expect(expiredWaits(run.state(), 104_999, 100_000)).toEqual([]);
	expect(expiredWaits(run.state(), 105_000, 100_000)).toEqual([2]);
	run.until(301_000, 301_000);
	run.accept(2, 301_001);
	expect(expiredWaits(run.state(), 900_000, 100_000)).toEqual([]);
});
