/**
 * Whatever happens, in whatever order, sensible or not: what a decision keeps counted is what counting anew gives, and the
 * agents that it did not look at are where a look at all of them would put them.
 */
import { expect, test } from "vitest";
import type { Limits } from "../../../../src/core/limits/limits.ts";
import type { Shortage } from "../../../../src/core/limits/shortage.ts";
import { type AgentId, isOver, isWithin, withAncestors } from "../../../../src/core/model/agent.ts";
import { lendsSlot } from "../../../../src/core/run/turn-state.ts";
import { ReportCosts } from "../../../../src/supervisor/decide/call-cost.ts";
import { isHeldBack } from "../../../../src/supervisor/decide/scheduler.ts";
import { type Dice, diceOf } from "../../dice.ts";
import { CRASH, type Scenario, startScenario } from "./scenario.ts";

const MEMORY: Shortage = { what: "memory", reason: "little memory" };

function act(run: Scenario, dice: Dice): void {
	const ids = Object.keys(run.state().run.agents);
	const agent = dice.pick(ids) ?? "1";
	const command = 1 + dice.roll(2);
	switch (dice.roll(10)) {
		case 0:
		case 1:
			return void run.child(agent, dice.pick([undefined, 1, 2]), asked(dice));
		case 2:
		case 3:
			return void run.ask(agent, dice.roll(4) === 0);
		case 4:
		case 5:
			return void run.answer(dice.pick(run.calling()) ?? agent);
		case 6:
			return void run.command(agent, command);
		case 7:
			return void run.commandEnds(agent, command);
		case 8:
			return void (agent === "1" ? run.ask(agent) : end(run, agent, dice));
		default:
			return void run.dispatch({ is: "shortages", shortages: dice.roll(3) === 0 ? [MEMORY] : [] });
	}
}

function asked(dice: Dice): Partial<Limits> {
	return dice.roll(3) === 0 ? { maxConcurrency: 1 + dice.roll(2), maxTotalTurns: 5 } : {};
}

function end(run: Scenario, agent: AgentId, dice: Dice): void {
	const parent = withAncestors(agent)[1] ?? "1";
	if (isOver(run.state().run.agents[agent] as never))
		return void run.join({ is: "child", parent, startTime: "7" }, { resume: agent, task: "go on" });
	const ends = [() => run.finish(agent, CRASH), () => run.gone(agent), () => run.stop(agent)];
	dice.pick(ends)?.();
}

/** Agents that a look at all would have ask for a slot, lend theirs, or begin; but for those that are still to be looked at. */
function unsettled(run: Scenario): AgentId[] {
	const { run: tree, asks, stops, touched } = run.state();
	const { active, waiting } = run.slots();
	const queue = [...active, ...waiting.map(({ agent }) => agent)];
	const within = (holder: AgentId) => active.filter((id) => isWithin(id, holder)).length;
	const isFree = (id: AgentId) =>
		withAncestors(id).every((holder) => within(holder) < (tree.agents[holder]?.limits.maxConcurrency ?? 0));
	return Object.values(tree.agents).flatMap((agent) => {
		const { id } = agent;
		if (isOver(agent)) return queue.includes(id) ? [id] : [];
		const lends = !asks.has(id) && lendsSlot(agent);
		const isInPlace = lends ? !queue.includes(id) : stops.has(id) || queue.includes(id);
		const mayBegin = queue.includes(id) && !active.includes(id) && isFree(id) && !isHeldBack(tree, id);
		return (isInPlace || touched.has(id)) && !mayBegin ? [] : [id];
	});
}

function reportCosts(run: Scenario): ReportCosts {
	const { run: tree, reported, ledger } = run.state();
	const reports = new ReportCosts(ledger.reports.modelFacts);
	for (const id of Object.keys(tree.agents)) reports.count(tree, id, reported.has(id));
	return reports;
}

function check(run: Scenario): void {
	const { run: tree, asks, turnsWaiting, ledger } = run.state();
	const anew = reportCosts(run);
	const waitingTurns = [...asks].flatMap(([id, { kind, isCalling }]) => (kind === "turn" && !isCalling ? [id] : []));
	const wrong = Object.keys(tree.agents).filter((id) => {
		const kept = (["max-tokens", "max-budget-usd"] as const).map((limit) => [
			ledger.reports.kept(id, limit, []),
			anew.kept(id, limit, []),
		]);
		const turns = waitingTurns.filter((other) => isWithin(other, id)).length;
		return turnsWaiting.within(id) !== turns || kept.some(([one, other]) => one !== other);
	});
	expect({ wrong, unsettled: unsettled(run) }).toEqual({ wrong: [], unsettled: [] });
}

test.each<[string, Partial<Limits>]>([
	["without a budget", {}],
	["with budgets that are never reached", { maxTokens: 1e12, maxBudgetUsd: 1e6 }],
	["with budgets that soon are", { maxTokens: 400_000 }],
])("after any inputs, %s, all counts are right and every agent is in its place", (_, limits) => {
	for (let seed = 1; seed <= 15; seed++) {
		const dice = diceOf(seed);
		const bounds = { maxAgents: 60, maxConcurrency: 1 + (seed % 4), maxTurns: 6, ...limits };
		const usage = { input: 900, output: 100, cacheRead: 0, cacheWrite: 4000 };
		const run = startScenario(bounds, { model: "claude-haiku-4-5", usage });
		run.root();
		for (let step = 0; step < 150; step++) {
			act(run, dice);
			check(run);
		}
	}
});
