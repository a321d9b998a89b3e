import { expect, test } from "vitest";
import { defined } from "../../../../src/core/defined.ts";
import type { Agent } from "../../../../src/core/model/agent.ts";
import type { RunState } from "../../../../src/core/run/run-state.ts";
import type { RunEvent } from "../../../../src/core/schemas/run-event.ts";
import {
	type Activity,
	isSilent,
	NO_ACTIVITY,
	quietSince,
	seenOf,
	withTold,
} from "../../../../src/view/agents/activity.ts";
import { commandEnded, commandStarted, ended, joined, runOf, turnEnded, turnStarted } from "../../core/run-of.ts";

const QUEUED = joined("1", {}, undefined, 1_000);
const THINKS = [QUEUED, turnStarted("1", 1, false, 5_000)];
const RUNS = [...THINKS, turnEnded("1", 1, 6_000), commandStarted("1", 1, 7_000)];
const RETRIES: RunEvent = {
	...{ event: "turn_retrying", at: 20_000, agent: "1", turn: 1, attempt: 1, waitMs: 40_000, reason: "overloaded" },
	...{ usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, costUsd: 0 },
};

const ASKS: RunEvent = {
	...{ event: "question_asked", at: 8_000, agent: "1", question: 1, what: { is: "words", text: "which?" } },
};

const rootOf = (run: RunState) => run.agents["1"] as Agent;
const after = (...events: RunEvent[]) => rootOf(runOf(...events));
const at = (time: number) => new Map([["1", time]]);
const printed = (...times: (number | undefined)[]): Partial<Activity> => {
	const seen = times.map((silentSince, n) => [n + 1, defined({ silentSince })] as const);
	return { commands: new Map([["1", new Map(seen)]]) };
};
const knowing = (known: Partial<Activity>): Activity => ({ ...NO_ACTIVITY, ...known });

test.each([
	["a call that has brought nothing", THINKS, {}, 5_000],
	["a call whose newest token came later", THINKS, { tokenAt: at(9_000) }, 9_000],
	["a token of an earlier call", THINKS, { tokenAt: at(3_000) }, 5_000],
	["a call that broke and is made again", [...THINKS, RETRIES], { tokenAt: at(9_000) }, 20_000],
	["an agent between its answer and its command", RUNS.slice(0, -1), {}, 6_000],
	["a command of which nothing is known", RUNS, {}, undefined],
	[
		"one of two commands of which nothing is known",
		[...RUNS, commandStarted("1", 2, 7_500)],
		printed(8_000),
		undefined,
	],
	["a command that has printed nothing", RUNS, printed(6_900), 7_000],
	["a command that printed", RUNS, printed(8_000), 8_000],
	["a second command that has just begun", [...RUNS, commandStarted("1", 2, 9_500)], printed(8_000, 9_400), 9_500],
	[
		"a command whose child agent has ended",
		[...RUNS, joined("1.1", {}, 1), ended("1.1", 9_700)],
		printed(8_000),
		9_700,
	],
	["a paused agent whose command runs on", [...RUNS, pause()], printed(8_000), 8_000],
])("%s is quiet since the last sign of it, where that is known", (_, events, known, since) => {
	expect(quietSince(after(...events), knowing(known))).toBe(since);
});

test.each([
	["is queued", [QUEUED]],
	["waits for its children", [...RUNS, joined("1.1", {}, 1)]],
	["is frozen", [...RUNS, pause(true)]],
	["asks a person", [...RUNS, ASKS]],
	["is over", [...RUNS, ended("1")]],
])("an agent that %s is not quiet: nothing is expected of it", (_, events) => {
	const agent = after(...events);
	const activity = knowing({ tokenAt: at(1), ...printed(1) });
	expect([quietSince(agent, activity), isSilent(agent, activity, 1e9)]).toEqual([undefined, false]);
});

test.each([
	["thinks", THINKS, {}, 5_000],
	["runs a command", RUNS, printed(8_000), 8_000],
	["has no command", [...RUNS, commandEnded("1", 1, 9_000)], {}, 6_000],
])("one that %s is silent after half a minute", (_, events, known, since) => {
	const agent = after(...events);
	const silentAt = (now: number) => isSilent(agent, knowing(known), now);
	expect([silentAt(since + 29_999), silentAt(since + 30_000)]).toEqual([false, true]);
});

test("what was seen of a command is found by its agent and its number", () => {
	const activity = knowing(printed(8_000, undefined));
	expect([
		seenOf(activity, "1", 1),
		seenOf(activity, "1", 2),
		seenOf(activity, "1", 3),
		seenOf(activity, "1.1", 1),
	]).toEqual([{ silentSince: 8_000 }, {}, undefined, undefined]);
});

test("a command of whose output nothing is known, as on another machine, is never called silent", () => {
	expect(isSilent(after(...RUNS), NO_ACTIVITY, 1e9)).toBe(false);
});

test("a call that the service holds up is not silent, and one that waits for its next try only when that is due", () => {
	expect(isSilent(after(...THINKS), knowing({ heldSince: at(6_000) }), 1e9)).toBe(false);
	const retries = after(...THINKS, RETRIES);
	expect([59_999, 60_001].map((now) => isSilent(retries, NO_ACTIVITY, now))).toEqual([false, true]);
});

test("what is told is added: tokens agent by agent, the held and the queue as a whole", () => {
	const run = runOf(...THINKS, joined("1.1", {}, 1), turnStarted("1.1", 1));
	const first = withTold(
		NO_ACTIVITY,
		{ tokens: { "1": 9_000 }, held: { "1.1": 7_000 }, queue: { first: ["1.3", "1.2"], length: 2 } },
		run,
	);
	const second = withTold(first, { tokens: { "1.1": 9_900 } }, run);
	expect(second).toEqual({
		...NO_ACTIVITY,
		tokenAt: new Map([
			["1", 9_000],
			["1.1", 9_900],
		]),
		heldSince: new Map([["1.1", 7_000]]),
		places: new Map([
			["1.3", 1],
			["1.2", 2],
		]),
		queued: 2,
	});
	const third = withTold(second, { held: {}, queue: { first: ["1.2"], length: 1 } }, run);
	expect([third.heldSince, third.places, third.queued]).toEqual([new Map(), new Map([["1.2", 1]]), 1]);
});

test("tokens of agents that think no more are forgotten", () => {
	const activity = knowing({ tokenAt: new Map([["1", 8_000]]) });
	const run = runOf(...RUNS, joined("1.1"), turnStarted("1.1", 1));
	expect(withTold(activity, { tokens: { "1.1": 9_000, "1.7": 9_000 } }, run).tokenAt).toEqual(
		new Map([["1.1", 9_000]]),
	);
});

function pause(isHard = false): RunEvent {
	return { event: "agent_paused", at: 9_000, agent: "1", from: null, ...(isHard && { isHard }) };
}
