import { expect, test } from "vitest";
import { NO_USAGE } from "../../../../src/core/model/usage.ts";
import type { RunEvent } from "../../../../src/core/run/run-event.ts";
import { EMPTY_RUN } from "../../../../src/core/run/run-state.ts";
import { PLAIN } from "../../../../src/faces/print/paint.ts";
import { createProgress } from "../../../../src/faces/print/progress.ts";

const T0 = new Date(2026, 10, 27, 20, 0, 0).getTime();

function retrying(attempt: number, afterMs: number, agent = "1"): RunEvent {
	const facts = { turn: 1, waitMs: 1_000, reason: "overloaded", usage: NO_USAGE, costUsd: 0 };
	return { event: "turn_retrying", at: T0 + afterMs, agent, attempt, ...facts };
}

function linesOf(level: "none" | "trouble", events: RunEvent[]): string[] {
	const lines: string[] = [];
	const view = { paint: PLAIN, columns: () => undefined };
	const progress = createProgress(level, (line) => lines.push(line), view);
	for (const event of events) progress.onEvent(event, EMPTY_RUN);
	return lines;
}

// Seen to fail with the fourth try in a row taken for trouble, and with the time counted from an earlier call's failure.
test("without a terminal a call that has been breaking for a minute is said, once a minute for the whole run", () => {
	const events = [
		...[retrying(1, 0), retrying(4, 7_000), retrying(5, 59_000), retrying(1, 59_500, "1.1")],
		...[retrying(6, 60_000), retrying(7, 119_000), retrying(2, 119_600, "1.1"), retrying(3, 120_000, "1.1")],
		...[retrying(1, 180_500), retrying(2, 190_000)],
		{ event: "turn_queued", at: T0, agent: "1" } as const,
	];
	expect(linesOf("trouble", events)).toEqual([
		expect.stringContaining("20:01:00.000"),
		expect.stringContaining("20:02:00.000"),
	]);
	expect(linesOf("none", events)).toEqual([]);
});

test("a context that is smaller than was known is said, once for all agents", () => {
	const smaller = (agent: string): RunEvent => ({
		...{ event: "agent_changed", at: T0, agent, windowTokens: 4096, reason: "the service has dropped the beginning" },
	});
	const model: RunEvent = { event: "agent_changed", at: T0, agent: "1", model: "b", windowTokens: 9, reason: "gone" };
	expect(linesOf("trouble", [model, smaller("1.1"), smaller("1.2")])).toEqual([
		expect.stringMatching(/1\.1.*a context of only 4096 tokens: the service has dropped/),
	]);
});

test("ten tries in five seconds are no trouble that is said", () => {
	expect(
		linesOf(
			"trouble",
			Array.from({ length: 10 }, (_, n) => retrying(n + 1, n * 500)),
		),
	).toEqual([]);
});
