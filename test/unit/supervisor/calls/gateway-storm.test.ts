/**
 * Many agents against a service that allows few calls, through the gateway as it is, with time moved by hand. Seen to fail:
 * without the pace, without taking the refusals of a round for one, without what the service says is left, and (when all
 * is refused) without the pause or without an end for calls that only wait.
 */
import { expect, test } from "vitest";
import {
	DEFAULT_RETRY_POLICY,
	type Model,
	type ModelOutcome,
	type RateLimit,
} from "../../../../src/core/model/model.ts";
import { NO_USAGE } from "../../../../src/core/model/usage.ts";
import { Gateway } from "../../../../src/supervisor/calls/gateway.ts";
import type { Slowed } from "../../../../src/supervisor/calls/rate-limiter.ts";
import type { GatewayCall } from "../../../../src/supervisor/calls/retrying-call.ts";
import { asksWith, FIRST } from "../../../fixtures/fake-call.ts";
import { diceOf } from "../../dice.ts";
import { type HandClock, handClock } from "../../hand-clock.ts";

interface Service {
	/** How it refuses a call that comes now; undefined: it lets it through. */
	refusal(now: number): { afterMs?: number } | undefined;
	limits?(now: number): RateLimit[];
}

/** `perWindow` calls that were let through in the last `windowMs`. */
function sliding(perWindow: number, windowMs: number, hasRetryAfter: boolean): Service {
	let through: number[] = [];
	return {
		refusal: (now) => {
			through = through.filter((at) => at > now - windowMs);
			if (through.length >= perWindow)
				return hasRetryAfter ? { afterMs: Math.ceil(((through[0] ?? now) + windowMs - now) / 1000) * 1000 } : {};
			through.push(now);
			return undefined;
		},
	};
}

/** A window begins with each full second (or so many ms) of the clock. */
function fixed(perWindow: number, windowMs: number, hasRetryAfter: boolean): Service {
	let window = -1;
	let count = 0;
	return {
		refusal: (now) => {
			const current = Math.floor(now / windowMs);
			if (current !== window) count = 0;
			window = current;
			count += 1;
			return count <= perWindow ? undefined : hasRetryAfter ? { afterMs: 1000 } : {};
		},
	};
}

function bucket(capacity: number, perSecond: number, hasRetryAfter: boolean): Service {
	let level = capacity;
	let at: number | undefined;
	return {
		refusal: (now) => {
			level = Math.min(capacity, level + ((now - (at ?? now)) * perSecond) / 1000);
			at = now;
			if (level < 1) return hasRetryAfter ? { afterMs: 1000 } : {};
			level -= 1;
			return undefined;
		},
	};
}

interface Storm {
	requests: { at: number; isRefused: boolean }[];
	slowed: Slowed[];
	answered: number;
	failed: string[];
	tookMs: number;
}

/** Each of `agents` makes `turns` calls, one after the other; an answer takes `answerMs`. */
async function storm(
	service: Service,
	{ agents = 30, turns = 2, answerMs = 300, seed = 1 } = {},
	clock: HandClock = handClock(),
): Promise<Storm> {
	const dice = diceOf(seed);
	const begin = clock.elapsed();
	const result: Storm = { requests: [], slowed: [], answered: 0, failed: [], tookMs: 0 };
	const wait = (ms: number) => new Promise<void>((resolve) => void clock.after(ms, resolve));
	const ask: Model["ask"] = async (_, call): Promise<ModelOutcome> => {
		await wait(5 + dice.roll(20));
		const refusal = service.refusal(clock.elapsed());
		result.requests.push({ at: clock.elapsed() - begin, isRefused: refusal !== undefined });
		await wait(5 + dice.roll(20));
		const usage = NO_USAGE;
		if (refusal !== undefined)
			return { is: "failure", reason: "slow down", exitCode: 75, usage, retry: { isRateLimit: true, ...refusal } };
		call.onAccepted(service.limits?.(clock.elapsed()) ?? []);
		await wait(answerMs);
		return { is: "reply", content: [], stopReason: "end_turn", usage, model: "m" };
	};
	const model: Model = { name: "m", service: "s", ask, close: () => {} };
	const gateway = new Gateway({
		load: async () => model,
		retryPolicy: DEFAULT_RETRY_POLICY,
		timer: clock,
		random: () => dice.roll(1000) / 1000,
		costOf: () => 0,
		onSlowed: (slowed) => result.slowed.push(slowed),
	});
	let left = agents;
	const turn = (agent: string, n: number) => {
		const call: GatewayCall = { ...CALL, agent, turn: n, joinedAt: begin + Number(agent.slice(2)) };
		gateway.call(call, {
			retrying: () => {},
			cancelled: () => {},
			held: () => {},
			answered: (outcome) => {
				if (outcome.is === "reply") result.answered += 1;
				else result.failed.push(outcome.reason);
				if (outcome.is === "reply" && n < turns) turn(agent, n + 1);
				else left -= 1;
			},
		});
	};
	for (let n = 1; n <= agents; n++) clock.after(n * 15, () => turn(`1.${n}`, 1));
	await clock.run(() => left === 0);
	return { ...result, tookMs: clock.elapsed() - begin };
}

const CALL: GatewayCall = {
	agent: "1",
	joinedAt: 0,
	model: "m",
	task: "t",
	turn: 1,
	kind: "turn",
	request: asksWith(FIRST),
	lastOutput: async () => undefined,
	onDelta: () => {},
};

function refusedShare({ requests }: Storm, sinceMs: number): number {
	const late = requests.filter(({ at }) => at >= sinceMs);
	return late.filter(({ isRefused }) => isRefused).length / late.length;
}

const SERVICES: readonly [string, (hasRetryAfter: boolean) => Service][] = [
	["5 in any second", (has) => sliding(5, 1000, has)],
	["5 in a second of its clock", (has) => fixed(5, 1000, has)],
	["5 a second, and 5 at once", (has) => bucket(5, 5, has)],
];
const ANSWER_MS = [10, 300, 3000];
const CASES = SERVICES.flatMap(([name, open]) =>
	[true, false].flatMap((has) => ANSWER_MS.map((ms) => [name, has ? "with" : "without", ms, () => open(has)] as const)),
);

test.each(CASES)(
	"30 agents finish where %s are allowed, %s retry-after, answers of %i ms",
	async (_, __, answerMs, open) => {
		for (const seed of [1, 2, 3]) {
			const end = await storm(open(), { answerMs, seed });
			const share = refusedShare(end, 3000);
			expect([end.answered, end.failed]).toEqual([60, []]);
			expect(share).toBeLessThan(0.15);
			expect(end.tookMs).toBeLessThan(answerMs < 1000 ? 20_000 : 45_000);
		}
	},
);

test.each([true, false])("a limit of 50 calls a minute is found, too (retry-after: %s)", async (hasRetryAfter) => {
	const end = await storm(bucket(50, 50 / 60, hasRetryAfter), { agents: 30, turns: 4 });
	expect([end.answered, end.failed]).toEqual([120, []]);
	expect(refusedShare(end, 3000)).toBeLessThan(0.15);
});

test("where the service says what is left, hardly any call is refused at all", async () => {
	let used = 0;
	let window = -1;
	const left = (now: number) => {
		const current = Math.floor(now / 10_000);
		if (current !== window) used = 0;
		window = current;
		return 20 - used;
	};
	const service: Service = {
		refusal: (now) => {
			if (left(now) <= 0) return {};
			used += 1;
			return undefined;
		},
		limits: (now) => [{ what: "requests", remaining: left(now), resetMs: 10_000 - (now % 10_000) }],
	};
	const end = await storm(service, { agents: 10, turns: 6, answerMs: 100 });
	expect([end.answered, end.failed]).toEqual([60, []]);
	expect(refusedShare(end, 0)).toBeLessThan(0.05);
});

test("a service that refuses everything is asked ever less often, and all calls are given up when their time is over", async () => {
	const end = await storm({ refusal: () => ({}) });
	expect(end.answered).toBe(0);
	expect(end.failed.length).toBe(30);
	for (const reason of end.failed)
		expect(reason).toMatch(/^slow down; (tried \d+ times in (1\dm|9m3)|waited too long)/);
	expect(end.tookMs).toBeLessThan(11 * 60_000);
	expect(end.requests.filter(({ at }) => at > 60_000).length).toBeLessThan(30);
	expect(end.slowed.at(-1)).toEqual({ reason: "slow down", waitMs: expect.any(Number), maxCalls: 1 });
});

test("after an outage of a minute all agents go on within seconds", async () => {
	const clock = handClock();
	const begin = clock.elapsed();
	const end = await storm({ refusal: (now) => (now < begin + 60_000 ? {} : undefined) }, {}, clock);
	expect([end.answered, end.failed]).toEqual([60, []]);
	expect(end.tookMs).toBeLessThan(120_000);
});
