import { describe, expect, test } from "vitest";
import type { Ending } from "../../../../src/core/model/agent.ts";
import type { RunEvent } from "../../../../src/core/schemas/run-event.ts";
import { MOST_EVENTS, newestOf, notableEvents } from "../../../../src/view/events/news.ts";
import {
	agentEnded,
	BUSY_EVENTS,
	joined,
	runEnded,
	runStarted,
	STARTED_AT,
	turnStarted,
} from "../../../fixtures/dashboard-run.ts";

const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
const retry = (agent: string, afterMs: number, attempt = 6): RunEvent => ({
	...{ event: "turn_retrying", at: STARTED_AT + afterMs, agent, turn: 3, attempt, waitMs: 33_000 },
	...{ reason: "overloaded (overloaded_error)", usage, costUsd: 0 },
});
const failed = (agent: string, afterMs: number, reason = "no such file") =>
	agentEnded(agent, afterMs, { by: "failure", reason, exitCode: 1 });
const told = (...events: RunEvent[]) =>
	notableEvents(events, 10).map(({ agent = "run", text, tone }) => `${agent} ${text} (${tone})`);

describe("the newest events", () => {
	test("are in order, and no more than so many", () => {
		const many = Array.from({ length: MOST_EVENTS }, (_, index) => turnStarted("1", index));
		const two = [joined("1.1", 1, "a"), joined("1.2", 2, "b")];
		expect(newestOf([], two)).toEqual(two);
		expect(newestOf(two, [runEnded(3)])).toEqual([...two, runEnded(3)]);
		expect(newestOf(many, two)).toEqual([...many.slice(2), ...two]);
		expect(newestOf(two, many)).toEqual(many);
		expect(newestOf(many, [...many, ...two])).toEqual([...many.slice(2), ...two]);
	});
});

describe("the notable events", () => {
	test("are told in a few words, the newest first", () => {
		const events = [runStarted(), failed("1.1.3", 10_000), ...BUSY_EVENTS, retry("1.3.3", 61_000)];
		expect(notableEvents(events, 2)).toEqual([
			{ at: STARTED_AT + 61_000, agent: "1.3.3", text: "6th retry in 33 s: overloaded", tone: "warn" },
			{ at: STARTED_AT + 31_000, agent: "1", text: "could not start a child: children", tone: "warn" },
		]);
		expect(notableEvents(events, 9).map(({ text }) => text)).toEqual([
			"6th retry in 33 s: overloaded",
			"could not start a child: children",
			"LIMIT: turn limit reached (max-turns 50)",
			"FAILED: no such file",
		]);
	});

	test("are of many retries the newest, and of what several agents say alike that of the newest", () => {
		expect(told(failed("1.1", 1), retry("1.2", 2), failed("1.3", 3), retry("1.4", 4, 2), retry("1.5", 5, 1))).toEqual([
			"1.5 1st retry in 33 s: overloaded (warn)",
			"1.3 FAILED: no such file (bad)",
		]);
	});

	test("have the ends of children of the root, of deeper agents only those that are no answer, and not the root's", () => {
		const killed: Ending = { by: "killed", signal: "SIGKILL", isInferred: true };
		const stopped: Ending = { by: "stopped", reason: "by the person", signal: 2 };
		const ends = [
			agentEnded("1.2.1", 1),
			agentEnded("1.2", 2),
			agentEnded("1.3.1", 3, killed),
			agentEnded("1.4", 4, stopped),
			agentEnded("1.5", 5, { by: "crashed", reason: "out of memory" }),
			agentEnded("1", 6),
			runEnded(7),
		];
		expect(told(...ends)).toEqual([
			"run ended: answer (good)",
			"1.5 CRASHED: out of memory (bad)",
			"1.3.1 KILLED by SIGKILL (bad)",
			"1.2 answered (good)",
		]);
	});

	test("leave out what a service adds to its words, which other places tell, and keep it of limits", () => {
		const reason = "no such file (HTTP 400 invalid_request_error)";
		expect(told(failed("1.1", 1, reason))).toEqual(["1.1 FAILED: no such file (bad)"]);
		const limit: Ending = { by: "limit", limit: "max-turns", reason: "turn limit reached (max-turns 50)" };
		expect(told(agentEnded("1.1", 1, limit))).toEqual(["1.1 LIMIT: turn limit reached (max-turns 50) (bad)"]);
	});

	test("have nothing of a run's usual course", () => {
		expect(told(...BUSY_EVENTS.slice(0, -2))).toEqual([]);
		expect(told(...BUSY_EVENTS.slice(-2))).toHaveLength(2); // else the line above could not fail
	});

	test("are safe for a terminal", () => {
		expect(told(failed("1.1", 1, "a\u001b[2Jb\nc\u202e"))).toEqual(["1.1 FAILED: ab c (bad)"]);
	});
});
