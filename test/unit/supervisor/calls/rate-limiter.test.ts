/** What gateway-storm.test.ts does not show by the runs of many agents. */
import { setMaxListeners } from "node:events";
import { expect, test } from "vitest";
import type { RateLimit } from "../../../../src/core/model/model.ts";
import { RateLimiter, type Slowed } from "../../../../src/supervisor/calls/rate-limiter.ts";
import { handClock } from "../../hand-clock.ts";

/** A rate limiter whose calls are numbered as they are wanted. `granted`: which ones, with the time. */
function limited({ retryTimeMs = 3_600_000 } = {}) {
	const clock = handClock(0);
	const slowed: Slowed[] = [];
	const granted: [number, number][] = [];
	const expired: number[] = [];
	const limiter = new RateLimiter({ timer: clock, pauseMs: 1_000, retryTimeMs, onSlowed: (one) => slowed.push(one) });
	const { signal } = new AbortController();
	setMaxListeners(0, signal);
	let wanted = 0;
	const want = (times: number, { depth = 1, joinedAt = 0, since = clock.elapsed() } = {}) => {
		for (let n = 0; n < times; n++) {
			wanted += 1;
			const id = wanted;
			void limiter.take({ depth, joinedAt: joinedAt || id, since }, signal).then((permission) => {
				if (permission.is === "granted") granted.push([clock.elapsed(), id]);
				else expired.push(id);
			});
		}
	};
	const refuse = (id: number, afterMs?: number) => limiter.refused(id, "slow down", afterMs);
	const accept = (id: number, ...limits: RateLimit[]) => limiter.accepted(id, limits);
	const over = (...ids: number[]) => ids.map((id) => limiter.over(id));
	/** Those that were granted in the time. */
	const pass = async (ms: number) => {
		granted.length = 0;
		await clock.pass(ms);
		return granted.map(([at, id]) => [Math.round(at), id]);
	};
	return { limiter, clock, slowed, granted, expired, want, refuse, accept, over, pass };
}

const upTo = (last: number, first = 1) => Array.from({ length: last - first + 1 }, (_, n) => first + n);

test("until the service refuses, every call is made at once; then all are paused, and half as many are in flight", async () => {
	const { want, refuse, over, pass, slowed } = limited();
	want(10);
	expect(await pass(100)).toHaveLength(10);
	refuse(1, 5_000);
	expect(slowed).toEqual([{ reason: "slow down", waitMs: 5_000, maxCalls: 5 }]);
	want(9);
	over(...upTo(10, 2));
	expect(await pass(4_999)).toEqual([]);
	expect((await pass(1)).map(([at]) => at)).toEqual([5_100]);
	expect(await pass(60_000)).toHaveLength(4);
});

test.each([
	{ asked: [1_000, 9_000], pausedMs: 9_000 },
	{ asked: [7_200_000], pausedMs: 300_000 },
])("a pause is as long as the longest that is asked for, and five minutes at most", ({ asked, pausedMs }) => {
	const { limiter, want, refuse } = limited();
	want(asked.length);
	for (const [at, ms] of asked.entries()) refuse(at + 1, ms);
	expect(limiter.pausedMs()).toBe(pausedMs);
});

test("a few calls that one agent makes, of which one is refused, leave no pace behind for others", async () => {
	const { want, refuse, over, pass } = limited();
	for (const id of upTo(5)) {
		want(1);
		await pass(2_000);
		if (id < 5) over(id);
	}
	refuse(5, 0);
	want(1);
	expect(await pass(0)).toHaveLength(1);
});

test("the deepest agents go first, of those the oldest; and each 20 s of waiting count as a level", async () => {
	const order = async (now: number) => {
		const { want, refuse, over, pass, clock } = limited();
		want(1);
		refuse(1, 0);
		want(1); // the one that is in flight
		want(1, { depth: 0, joinedAt: 1 });
		await clock.pass(now);
		want(1, { depth: 1, joinedAt: 50 });
		want(1, { depth: 2, joinedAt: 90 });
		want(1, { depth: 2, joinedAt: 80 });
		const ids: number[] = [];
		for (let last = 2; ids.length < 4; last = ids.at(-1) ?? 0) {
			over(last);
			ids.push(...(await pass(0)).map(([, id]) => id ?? 0));
		}
		return ids;
	};
	expect(await order(1_000)).toEqual([6, 5, 4, 3]);
	expect(await order(41_000)).toEqual([3, 6, 5, 4]);
});

test("when the service says that nothing is left, no call is made until it has some again", async () => {
	const { want, accept, pass, slowed } = limited();
	want(1);
	await pass(50);
	accept(1, { what: "requests", remaining: 0, resetMs: 4_000 });
	expect(slowed).toEqual([{ reason: "the service has no requests left for now", waitMs: 4_000, maxCalls: 1 }]);
	want(1);
	accept(1, { what: "requests", remaining: 0, resetMs: 4_000 });
	expect(slowed).toHaveLength(1);
	expect(await pass(5_000)).toEqual([[4_050, 2]]);
});

test("tokens that are left count as calls of the size that calls have had", async () => {
	const { limiter, want, accept, pass } = limited();
	want(1);
	limiter.over(1, { input: 100, output: 50, cacheRead: 100_000, cacheWrite: 400 });
	want(1);
	accept(2, { what: "input", remaining: 400, resetMs: 1_000 });
	want(1);
	expect((await pass(1_000)).at(-1)).toEqual([1_000, 3]);
});

test("a call that waits is given up only when for its whole time no call of the tree got through", async () => {
	const { want, refuse, accept, over, pass, expired } = limited({ retryTimeMs: 100_000 });
	want(1);
	await pass(1_000);
	refuse(1, 300_000);
	over(1);
	await pass(4_000);
	want(1);
	await pass(99_999);
	expect(expired).toEqual([]);
	await pass(1);
	expect(expired).toEqual([2]);
	await pass(195_900);
	want(1);
	await pass(200); // the pause is over
	accept(3);
	want(1, { since: 0 });
	await pass(900_000);
	expect(expired).toEqual([2]);
});
