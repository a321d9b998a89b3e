import { expect, test } from "vitest";
import type { AgentId } from "../../../../src/core/model/agent.ts";
import type { RunEvent } from "../../../../src/core/run/run-event.ts";
import { EMPTY_RUN, reduce, totalsOf } from "../../../../src/core/run/run-state.ts";
import { budgetLeft, totalsWithin } from "../../../../src/core/run/spending.ts";
import { ended, joined, STARTED, turnStarted } from "../run-of.ts";

function spent(agent: AgentId, input: number, costUsd: number | null): RunEvent {
	const usage = { input, output: 10, cacheRead: 0, cacheWrite: 0 };
	return { event: "turn_ended", at: 2000, agent, turn: 1, stopReason: "end_turn", usage, costUsd };
}

const bounds = (limits: object) => limits as Parameters<typeof joined>[1];
const events: RunEvent[] = [
	STARTED,
	joined("1", bounds({ maxBudgetUsd: 2, maxTokens: 1_000 })),
	joined("1.1", bounds({ maxBudgetUsd: 0.5, maxTokens: 1_000 })),
	joined("1.1.1", bounds({ maxBudgetUsd: 0.5, maxTokens: 1_000 })),
	joined("1.10"),
	...["1", "1.1", "1.1.1", "1.10"].map((agent) => turnStarted(agent, 1)),
	spent("1", 100, 0.25),
	spent("1.1", 200, 0.125),
	spent("1.1.1", 300, 0.125),
	ended("1.1.1"),
	spent("1.10", 50, 0.5),
];
const run = events.reduce(reduce, EMPTY_RUN);

// Seen to fail when 1.1 took 1.10 for a child of its own.
test("an agent's totals hold all that lies below it, and the root's are those of the run", () => {
	const totals = ["1.10", "1.1.1", "1.1", "1"].map((id) => [id, totalsWithin(run, id)] as const);
	expect(totals.map(([id, { usage, costUsd }]) => [id, usage.input, costUsd])).toEqual([
		["1.10", 50, 0.5],
		["1.1.1", 300, 0.125],
		["1.1", 500, 0.25],
		["1", 650, 1],
	]);
	expect(totalsWithin(run, "1")).toEqual(totalsOf(Object.values(run.agents)));
});

test("what is left to an agent is the least that is left to it or to one above it", () => {
	const left = (id: AgentId, limit: "max-budget-usd" | "max-tokens") => {
		const agent = run.agents[id];
		return agent === undefined ? undefined : budgetLeft(run, agent, limit);
	};
	expect(["1", "1.1", "1.1.1", "1.10"].map((id) => left(id, "max-budget-usd"))).toEqual([1, 0.25, 0.25, 1]);
	expect(["1", "1.1", "1.10"].map((id) => left(id, "max-tokens"))).toEqual([310, 310, 310]);
});

test("one price that is not known makes the cost of all above it unknown, and what is left of a budget", () => {
	const unknown = [spent("1.1", 1, null)].reduce(reduce, run);
	expect(["1", "1.1", "1.10"].map((id) => totalsWithin(unknown, id).costUsd)).toEqual([null, null, 0.5]);
	const root = unknown.agents["1"];
	expect(root === undefined ? 0 : budgetLeft(unknown, root, "max-budget-usd")).toBe(null);
});
