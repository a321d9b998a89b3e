import { expect, test } from "vitest";
import type { Limits } from "../../../../src/core/limits/limits.ts";
import { isWithin } from "../../../../src/core/model/agent.ts";
import { lendsSlot } from "../../../../src/core/run/turn-state.ts";
import { diceOf } from "../../dice.ts";
import { type PlayOptions, play, trueTally } from "./play.ts";
import { type Scenario, startScenario } from "./scenario.ts";

const CALM: PlayOptions = { depth: 3, width: 3, deathsPerHundred: 0, mayLeaveChildren: false };

function playOut(seed: number, limits: Partial<Limits>, options: PlayOptions): Scenario {
	const run = startScenario({ maxAgents: 100, ...limits });
	play(run, diceOf(seed), options, (told) => {
		const { agents } = run.state().run;
		const most = agents["1"]?.limits.maxConcurrency ?? 0;
		const active = Math.max(run.calling().length, run.state().slots.active.size);
		const toldWrongly = [...told].filter(([parent, alive]) => alive !== trueTally(run, parent));
		const isRight = active <= most && lendersInTheQueue(run).length === 0 && toldWrongly.length === 0;
		// One plain comparison a move: thousands of moves are made.
		if (!isRight) expect.unreachable(JSON.stringify({ active, toldWrongly, lenders: lendersInTheQueue(run) }));
	});
	return run;
}

/** Agents that lend their slot and hold one, or wait for one, all the same. */
function lendersInTheQueue(run: Scenario): string[] {
	const { run: tree, slots, asks } = run.state();
	const lenders = Object.values(tree.agents).filter((agent) => !asks.has(agent.id) && lendsSlot(agent));
	const queue = [...slots.active, ...slots.waiting.map(({ agent }) => agent)];
	return lenders.map(({ id }) => id).filter((id) => queue.includes(id));
}

test("one slot, depth 3 and width 3: all 40 agents get to their answer, never more than one thinking", () => {
	for (let seed = 1; seed <= 2; seed++) {
		const run = playOut(seed, { maxConcurrency: 1 }, CALM);
		const agents = Object.values(run.state().run.agents);
		expect(agents).toHaveLength(40);
		for (const { state, turns } of agents)
			expect([state, turns]).toEqual([expect.objectContaining({ ending: { by: "answer" } }), 2]);
	}
});

test("with more slots than one, too", () => {
	for (let seed = 5; seed <= 6; seed++) {
		const run = playOut(seed, { maxConcurrency: 2 + (seed % 3) }, CALM);
		expect(Object.keys(run.state().run.agents)).toHaveLength(40);
	}
});

test("agents that die at any moment never leave the others waiting forever", () => {
	for (let seed = 1; seed <= 20; seed++)
		playOut(seed, { maxConcurrency: 1 + (seed % 2) }, { ...CALM, depth: 2, deathsPerHundred: 10 });
});

test("agents whose commands end before their children do get to their end, and so do the children", () => {
	for (let seed = 1; seed <= 20; seed++)
		playOut(seed, { maxConcurrency: 1 + (seed % 2) }, { ...CALM, depth: 2, mayLeaveChildren: true });
});

test("however turns are shared out, no more than max-total-turns are started, last calls apart", () => {
	for (let seed = 1; seed <= 15; seed++) {
		const run = startScenario({ maxTotalTurns: 7, maxConcurrency: 1 + (seed % 3) });
		const dice = diceOf(seed);
		run.root();
		run.runs("1", 1);
		for (let child = 0; child < 8; child++) run.child("1", 1);
		for (let move = 0; move < 120; move++) {
			const agent = dice.pick(Object.keys(run.state().run.agents).filter((id) => isWithin(id, "1") && id !== "1"));
			if (agent === undefined) break;
			if (run.calling().includes(agent)) {
				run.answer(agent);
				if (dice.roll(2) === 0) run.finish(agent);
			} else run.ask(agent, dice.roll(3) === 0);
			const turns = Object.values(run.state().run.agents).reduce((sum, { turns }) => sum + turns, 0);
			expect(turns).toBeLessThanOrEqual(7);
		}
		const last = run.events.flatMap((event) => (event.event === "turn_started" && event.isLast ? [event.agent] : []));
		expect(new Set(last).size).toBe(last.length);
	}
});
