/** A call's life at the gateway, with a model that does as told and time moved by hand. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import {
	DEFAULT_RETRY_POLICY,
	type Model,
	type ModelCall,
	type ModelFailure,
	type ModelOutcome,
} from "../../../../src/core/model/model.ts";
import { NO_USAGE, type Usage } from "../../../../src/core/model/usage.ts";
import { Gateway } from "../../../../src/supervisor/calls/gateway.ts";
import type { GatewayCall } from "../../../../src/supervisor/calls/retrying-call.ts";
import { asksWith, FIRST } from "../../../fixtures/fake-call.ts";
import { handClock } from "../../hand-clock.ts";

const USED: Usage = { input: 10, output: 5, cacheRead: 0, cacheWrite: 0 };
const REPLY: ModelOutcome = { is: "reply", content: [], stopReason: "end_turn", usage: USED, model: "m" };
const BROKEN: ModelFailure = {
	is: "failure",
	reason: "broke off",
	exitCode: 75,
	usage: NO_USAGE,
	retry: { isRateLimit: false },
};
const BUSY: ModelFailure = { ...BROKEN, reason: "slow down", retry: { isRateLimit: true, afterMs: 9000 } };
const FINAL: ModelFailure = { is: "failure", reason: "no", exitCode: 1, usage: NO_USAGE };

type Answer = ModelOutcome | ((call: ModelCall) => ModelOutcome | Promise<ModelOutcome>);

function open(answers: Answer[], { isCounted = true } = {}) {
	const clock = handClock();
	const asked: ModelCall[] = [];
	const log: unknown[] = [];
	const held: boolean[] = [];
	const ask: Model["ask"] = async (_, call) => {
		asked.push(call);
		const answer = answers[asked.length - 1] ?? REPLY;
		if (call.signal.aborted) throw new Error("asked although it was cancelled");
		return typeof answer === "function" ? answer(call) : answer;
	};
	const model: Model = { name: "m", ask, close: () => {}, ...(isCounted && { service: "s" }) };
	const gateway = new Gateway({
		load: async (name) => {
			if (name === "gone") throw new Error("no such model");
			return model;
		},
		retryPolicy: DEFAULT_RETRY_POLICY,
		timer: clock,
		random: () => 0.5,
		costOf: (_, { input, output }) => input + output,
		onError: (error) => log.push(["thrown", (error as Error).message]),
		onSlowed: ({ waitMs, maxCalls }) => log.push(["slowed", waitMs, maxCalls]),
	});
	const call = (agent = "1", given: Partial<GatewayCall> = {}) =>
		gateway.call(
			{ ...CALL, agent, ...given },
			{
				held: (isHeld) => held.push(isHeld),
				retrying: ({ attempt, waitMs, reason }, { costUsd, partial }) =>
					log.push(["retrying", attempt, waitMs, reason, costUsd, partial]),
				answered: (outcome, { costUsd }) =>
					log.push(
						outcome.is === "reply" ? ["reply", costUsd] : ["failure", outcome.reason, outcome.exitCode, costUsd],
					),
				cancelled: ({ costUsd, partial }) => log.push(["cancelled", costUsd, partial]),
			},
		);
	return { gateway, clock, asked, log, held, call };
}

const CALL: GatewayCall = {
	agent: "1",
	joinedAt: 0,
	model: "m",
	task: "t",
	turn: 3,
	kind: "turn",
	request: asksWith(FIRST),
	lastOutput: async () => undefined,
	onDelta: () => {},
};

/** Never answers; ends as the service's client does when it is aborted. */
const hangs =
	(usage: Usage, text = ""): Answer =>
	(call) => {
		if (text !== "") call.onDelta({ kind: "text", text });
		return new Promise((resolve) => {
			call.signal.addEventListener("abort", () => resolve({ ...FINAL, reason: "the call was stopped", usage }));
		});
	};

test("what breaks is made again until it is answered, each try counted", async () => {
	const { clock, asked, log, call } = open([BROKEN, { ...BROKEN, usage: USED }, REPLY]);
	call();
	await clock.run(() => false, 60_000);
	expect(log).toEqual([
		["retrying", 1, 500, "broke off", 0, ""],
		["retrying", 2, 1000, "broke off", 15, ""],
		["reply", 15],
	]);
	expect(asked.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
});

test("what is final is not made again", async () => {
	const { clock, asked, log, call } = open([FINAL]);
	call();
	await clock.run(() => false, 60_000);
	expect([log, asked.length]).toEqual([[["failure", "no", 1, 0]], 1]);
});

test("when the retry time is over, the failure says how often and how long it was tried", async () => {
	const { clock, log, call } = open(Array(100).fill(BROKEN));
	call();
	await clock.run(() => false, 700_000);
	expect(log.at(-1)).toEqual(["failure", expect.stringMatching(/^broke off; tried 2\d times in 10m00s$/), 75, 0]);
});

const NOBODY: ModelFailure = { ...BROKEN, reason: "refused", retry: { isRateLimit: false, isUnreached: true } };

test("nobody at a service's address is given up after 30 s, and after the retry time once any call was answered", async () => {
	const never = open(Array(100).fill(NOBODY));
	never.call();
	await never.clock.run(() => false, 700_000);
	expect(never.log.at(-1)).toEqual(["failure", expect.stringMatching(/^refused; tried \d+ times in 30s$/), 75, 0]);
	const later = open([BROKEN, ...Array(100).fill(NOBODY)]);
	later.call();
	await later.clock.run(() => false, 700_000);
	expect(later.log.at(-1)).toEqual(["failure", expect.stringMatching(/^refused; tried 2\d times in 10m00s$/), 75, 0]);
});

test("a permission that is missing stops the run only while no call with the key was answered", async () => {
	const forbidden: ModelFailure = { ...FINAL, exitCode: 77, stopsRun: "unless_answered" };
	const accepts: Answer = (call) => {
		call.onAccepted([]);
		return REPLY;
	};
	const outcomes = async (answers: Answer[]) => {
		const { gateway, clock } = open(answers);
		const seen: ModelOutcome[] = [];
		for (const agent of answers.map((_, n) => `1.${n}`)) {
			gateway.call(
				{ ...CALL, agent },
				{ held: () => {}, retrying: () => {}, answered: (outcome) => seen.push(outcome), cancelled: () => {} },
			);
			await clock.pass(1000);
		}
		return seen;
	};
	const { stopsRun: _, ...own } = forbidden;
	expect(await outcomes([forbidden])).toEqual([{ ...own, stopsRun: true }]);
	expect(await outcomes([accepts, forbidden])).toEqual([REPLY, own]);
	expect(await outcomes([accepts, { ...forbidden, stopsRun: true }])).toEqual([REPLY, { ...own, stopsRun: true }]);
});

test("text of a broken try counts no more when the next one has text, and is all there is while it has none", async () => {
	const says =
		(text: string): Answer =>
		(call) => {
			call.onDelta({ kind: "text", text });
			return BROKEN;
		};
	const { gateway, clock, log, call } = open([says("half "), BROKEN, says("other half"), REPLY]);
	call();
	const seen: string[] = [];
	for (const count of [1, 2, 3, 4]) {
		await clock.run(() => log.length === count);
		seen.push(gateway.partialText("1"));
	}
	expect(seen).toEqual(["half ", "half ", "other half", ""]);
	expect(log[0]).toEqual(["retrying", 1, 500, "broke off", 0, "half "]);
});

test("a call says while it waits until the service takes more, and never one to a model that is no service", async () => {
	const { clock, held, log, call } = open([BUSY, REPLY, REPLY]);
	call("1");
	await clock.run(() => log.length === 2);
	expect(held).toEqual([true, false]); // let through at once, and refused
	call("1.1");
	await clock.pass(8_000);
	expect(held).toEqual([true, false, true]);
	await clock.run(() => log.length === 4);
	expect(held.filter((isHeld) => isHeld).length).toBe(3);
	expect(held.at(-1)).toBe(false);
	const shell = open([REPLY], { isCounted: false });
	shell.call();
	await shell.clock.pass(1_000);
	expect([shell.log, shell.held]).toEqual([[["reply", 15]], []]);
});

test("a call that is cancelled while it is held is held no longer", async () => {
	const { gateway, clock, held, log, call } = open([BUSY]);
	call("1");
	await clock.run(() => log.length === 2);
	call("1.1");
	await clock.pass(0);
	gateway.cancel("1.1");
	await clock.pass(0);
	expect(held).toEqual([true, false, true, false]);
});

test("a cancelled call is charged for what was reported, and makes no more requests", async () => {
	const { gateway, clock, asked, log, call } = open([hangs(USED, "half")]);
	call();
	await clock.pass(1);
	gateway.cancel("1");
	await clock.pass(60_000);
	expect([log, asked.length]).toEqual([[["cancelled", 15, "half"]], 1]);
});

// Seen to fail (the wait goes on, and ends with another request) without the signal in `sleep`, and in `RateLimiter.take`.
test("a cancel ends a wait at once, between two attempts and for a permit", async () => {
	const { gateway, clock, asked, log, call } = open([BROKEN, BUSY]);
	call("1");
	await clock.run(() => log.length === 1);
	gateway.cancel("1");
	await clock.pass(0);
	call("1.1");
	await clock.run(() => log.length === 4);
	call("1.2");
	await clock.pass(0);
	gateway.cancel("1.1");
	gateway.cancel("1.2");
	await gateway.idle();
	expect(log).toEqual([
		["retrying", 1, 500, "broke off", 0, ""],
		["cancelled", 0, ""],
		["slowed", 9000, 1],
		["retrying", 1, 9500, "slow down", 0, ""],
		["cancelled", 0, ""],
		["cancelled", 0, ""],
	]);
	await clock.pass(60_000);
	expect([asked.length, clock.timers()]).toEqual([2, 0]);
});

test("a refusal makes the calls of other agents wait, but not those of models that no service counts", async () => {
	const { clock, log, call, asked } = open([BUSY]);
	call("1");
	await clock.run(() => log.length === 2);
	call("1.1");
	await clock.pass(8000);
	expect(asked.length).toBe(1);
	await clock.pass(3000);
	expect(log.slice(2)).toEqual([
		["reply", 15],
		["reply", 15],
	]);
	const free = open([BUSY], { isCounted: false });
	free.call("1");
	free.call("1.1");
	await free.clock.pass(0);
	expect(free.log).toEqual([
		["retrying", 1, 9500, "slow down", 0, ""],
		["reply", 15],
	]);
});

// Seen to fail (the second call waits forever) without the catch in `ask`.
test("a bug in a model is a failure, and the permit is given back", async () => {
	const bug: Answer = () => {
		throw new Error("a bug");
	};
	const { clock, log, call } = open([BUSY, bug]);
	call("1");
	await clock.run(() => log.length === 3);
	call("1.1");
	await clock.pass(10_000);
	expect(log.slice(2)).toEqual([
		["thrown", "a bug"],
		["failure", "a bug", 1, 0],
		["reply", 15],
	]);
});

test("a model that cannot be loaded is a failure; closing ends all calls", async () => {
	const { gateway, clock, log, call } = open([hangs(NO_USAGE)]);
	call("1", { model: "gone" });
	call("1.1");
	await clock.pass(1);
	gateway.close();
	await gateway.idle();
	expect(log).toEqual([
		["thrown", "no such model"],
		["failure", "no such model", 1, 0],
		["cancelled", 0, ""],
	]);
});

function saysAndFails(call: ModelCall): ModelOutcome {
	call.onDelta({ kind: "text", text: "so far" });
	return FINAL;
}

// Seen to fail when the newest call of each agent was kept: with its request, which is the agent's whole history.
test.each([
	["answered", REPLY, ""],
	["failed", saysAndFails, "so far"],
] as const)("of a call that has %s the text so far is kept, and not the request", async (_, answer, text) => {
	setFlagsFromString("--expose-gc");
	const collect: () => void = runInNewContext("gc");
	const { gateway, clock, asked, call } = open([answer]);
	const begin = () => {
		const request = { ...asksWith(FIRST) };
		call("1", { request });
		return new WeakRef(request);
	};
	const request = begin();
	await clock.run(() => false, 1_000);
	asked.splice(0);
	collect();
	expect([request.deref(), gateway.partialText("1")]).toEqual([undefined, text]);
});
