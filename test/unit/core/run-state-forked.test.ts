import { expect, test } from "vitest";
import { NO_USAGE } from "../../../src/core/model/usage.ts";
import type { RunEvent } from "../../../src/core/run/run-event.ts";
import { reduce } from "../../../src/core/run/run-state.ts";
import { totalsWithin } from "../../../src/core/run/spending.ts";
import { ended, joined, runOf, turnStarted } from "./run-of.ts";

const answered = (agent: string): RunEvent => ({
	...{ event: "turn_ended", at: 2000, agent, turn: 1, stopReason: "end_turn" },
	...{ usage: { ...NO_USAGE, output: 7 }, costUsd: 0.5 },
});

test("a copied run has spent nothing, is paused by nobody, and names no process of the first, which may be alive", () => {
	// Seen to fail with the processes of before: the copy's supervisor ended the commands of the first run.
	const first = runOf(
		...[joined("1"), turnStarted("1", 1), answered("1"), joined("1.1"), turnStarted("1.1", 1), answered("1.1")],
		{ event: "message_sent", at: 3000, agent: "1", from: null, text: "also x" },
		{ event: "agent_paused", at: 3000, agent: "1", from: null },
		...[ended("1.1"), ended("1")],
	);
	expect(totalsWithin(first, "1").costUsd).toBe(1);
	const copy = reduce(first, { event: "run_forked", at: 4000, run: "r2", from: "r1" });
	expect(copy).toMatchObject({ run: "r2", pid: 1, startTime: "", startedAt: first.startedAt });
	expect(totalsWithin(copy, "1")).toEqual({ agents: 2, alive: 0, turns: 2, usage: NO_USAGE, costUsd: 0 });
	for (const agent of Object.values(copy.agents)) {
		expect(agent).toMatchObject({ pid: 1, startTime: "", turns: 1 });
		expect([agent.messages, agent.paused]).toEqual([undefined, undefined]);
	}
	expect(totalsWithin(first, "1").costUsd).toBe(1);
});
