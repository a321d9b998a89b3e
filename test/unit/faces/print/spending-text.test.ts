/** What `agent show` and `agent log` say of calls that broke, of compactions and of money. */
import { expect, test } from "vitest";
import { DEFAULT_LIMITS } from "../../../../src/core/limits/limits.ts";
import { EMPTY_RUN, reduce } from "../../../../src/core/run/run-state.ts";
import type { RunEvent } from "../../../../src/core/schemas/run-event.ts";
import { factRows } from "../../../../src/faces/print/agent-header.ts";
import { PLAIN } from "../../../../src/faces/print/paint.ts";
import { EventLines } from "../../../../src/faces/print/progress.ts";
import { standingFacts } from "../../../../src/view/agents/agent-facts.ts";
import { RunView } from "../../../../src/view/agents/run-view.ts";
import { agentJoined, runStarted, T0 } from "../../record/fabricate.ts";

const usage = { input: 200, output: 80, cacheRead: 900, cacheWrite: 100 };
const free = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
test.each<[RunEvent, string]>([
	[
		{
			event: "turn_retrying",
			at: T0,
			agent: "1",
			turn: 2,
			attempt: 3,
			waitMs: 11_200,
			reason: "overloaded",
			usage,
			costUsd: null,
		},
		"20:15:30.000  1       turn 2: 3rd retry in 12 s: overloaded (1.2k in / 80 out, cost unknown)",
	],
	[
		{ event: "turn_cancelled", at: T0, agent: "1", turn: 2, usage: free, costUsd: 0 },
		"20:15:30.000  1       turn 2 was canceled",
	],
	[
		{ event: "calls_slowed", at: T0, reason: "rate limited", waitMs: 5_000, maxCalls: 4 },
		"20:15:30.000  run     no calls to the model for 5 s: rate limited; then 4 at once",
	],
	[
		{
			event: "history_compacted",
			at: T0,
			agent: "1",
			how: "dropped_results",
			tokensBefore: 90_000,
			tokensAfter: 20_000,
		},
		"20:15:30.000  1       replaced older messages (old results dropped): 90.0k to 20.0k tokens",
	],
])("$event is one line of the log", (event, line) =>
	expect(new EventLines({ paint: PLAIN, columns: () => undefined }).line(event)).toBe(line),
);

test("an agent stands with what it used, alone and with all below it, its budget and its context", () => {
	const spent = (agent: string, costUsd: number | null): RunEvent[] => [
		{ event: "turn_started", at: T0, agent, turn: 1, isLast: false },
		{ event: "turn_ended", at: T0 + 1, agent, turn: 1, stopReason: "tool_use", usage, costUsd },
	];
	const limits = { ...DEFAULT_LIMITS, maxBudgetUsd: 2, maxTokens: 1_000_000 };
	const root = { ...agentJoined("1", T0), limits, model: "claude-haiku-4-5" } as RunEvent;
	const events = [runStarted(), root, agentJoined("1.1", T0), ...spent("1", 0.4), ...spent("1.1", 0.02)];
	const linesAfter = (...more: RunEvent[]) => {
		const run = [...events, ...more].reduce(reduce, EMPTY_RUN);
		const agent = new RunView({ run, now: T0 + 60_000 }).agent("1");
		return agent === undefined ? [] : factRows(standingFacts(run, agent), undefined);
	};
	expect(linesAfter()).toEqual([
		"state   running 59s, between turns",
		"used    1 turn, 1.2k in (900 cached, 100 written to the cache) / 80 out, $0.4000, 1m00s",
		"all     with 1 below: 2 turns, 2.4k in (1.8k cached, 200 written to the cache) / 160 out, $0.4200",
		"budget  of the run: $0.42 of $2, $1.58 left",
		"        of the run: 2.6k of 1.0M tokens, 997.4k left",
		"context 1.3k of 200.0k tokens (0 %)",
	]);
	expect(linesAfter(...spent("1.1", null)).slice(2, 5)).toEqual([
		"all     with 1 below: 3 turns, 3.6k in (2.7k cached, 300 written to the cache) / 240 out, cost unknown",
		"budget  of the run: ? of $2",
		"        of the run: 3.8k of 1.0M tokens, 996.2k left",
	]);
});
