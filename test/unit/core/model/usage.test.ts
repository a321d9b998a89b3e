import { expect, test } from "vitest";
import type { AgentId } from "../../../../src/core/model/agent.ts";
import {
	addDollars,
	addUsage,
	countedTokens,
	countedUsage,
	NO_USAGE,
	roundDollars,
	uncountedOf,
} from "../../../../src/core/model/usage.ts";
import { spendingByModel } from "../../../../src/core/run/model-spending.ts";
import { agentsInOrder, EMPTY_RUN, reduce, totalsOf } from "../../../../src/core/run/run-state.ts";
import { budgetLeft, totalsWithin } from "../../../../src/core/run/spending.ts";
import type { RunEvent } from "../../../../src/core/schemas/run-event.ts";
import { diceOf } from "../../dice.ts";
import { ended, joined, runOf, STARTED, turnEnded, turnStarted } from "../run-of.ts";

// Seen to fail (0 tokens, no cost) when what was not counted was taken for nothing.
test("a call of which the service counted no prompt is uncounted, and so is every sum with it", () => {
	const [counted, silent] = [
		{ ...NO_USAGE, cacheRead: 7 },
		{ ...NO_USAGE, output: 3 },
	];
	expect(countedUsage(counted)).toBe(counted);
	expect([countedUsage(silent).uncounted, countedUsage(NO_USAGE).uncounted]).toEqual([1, 1]);
	const sum = addUsage(counted, countedUsage(silent));
	expect([sum, countedTokens(sum), countedTokens(counted)]).toEqual([
		{ input: 0, output: 3, cacheRead: 7, cacheWrite: 0, uncounted: 1 },
		null,
		7,
	]);
	expect(addUsage(sum, uncountedOf(-1) as typeof sum)).not.toHaveProperty("uncounted");
});

// Seen to fail with plain additions: the sums differ in their last digits.
test("costs add up to the same sum in any order and grouping, and the sum has no noise", () => {
	expect([addDollars(0.1, 0.2), addDollars(0.1, null), addDollars(null, 1)]).toEqual([0.3, null, null]);
	const dice = diceOf(1);
	const costs = Array.from({ length: 3000 }, () => roundDollars(dice.roll(1_000_000) / 7e6));
	const sum = (list: number[]) => list.reduce((all, one) => addDollars(all, one) ?? 0, 0);
	const grouped = sum([sum(costs.slice(0, 700)), sum(costs.slice(700, 710)), sum(costs.slice(710))]);
	expect([sum(costs.toReversed()), grouped]).toEqual([sum(costs), sum(costs)]);
	expect(roundDollars(costs.reduce((all, one) => all + one, 0))).toBe(sum(costs));
	expect(String(sum(costs))).toMatch(/^\d+\.\d{1,9}$/);
});

const used = (output: number) => ({ ...NO_USAGE, output });
const answered = (agent: string, output: number): RunEvent =>
	({ ...turnEnded(agent, 1), usage: used(output), costUsd: output / 100 }) as RunEvent;
const goesOnWith = (model: string): RunEvent => ({ event: "agent_changed", at: 2500, agent: "1", model });
const byModel = (...events: RunEvent[]) =>
	spendingByModel(agentsInOrder(runOf(...events))).map(({ model, usage, costUsd }) => [model, usage.output, costUsd]);

// Seen to fail: all of it was the last model's.
test("an agent that goes on with another model leaves to each what it used with it", () => {
	const events = [joined("1"), answered("1", 10), goesOnWith("b"), answered("1", 5), goesOnWith("shell")];
	expect(byModel(...events, answered("1", 1), goesOnWith("c"))).toEqual([
		["shell", 11, 0.11],
		["b", 5, 0.05],
		["c", 0, 0],
	]);
	const run = runOf(...events);
	expect([run.agents["1"]?.usage.output, run.agents["1"]?.costUsd]).toEqual([15, 0.15]);
});

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
