import { expect, test } from "vitest";
import { countDoings, doingOf } from "../../../../src/core/doing.ts";
import type { Agent, AgentId } from "../../../../src/core/model/agent.ts";
import type { RunState } from "../../../../src/core/run/run-state.ts";
import type { RunEvent } from "../../../../src/core/schemas/run-event.ts";
import { treeOf } from "../../../../src/view/agents/agent-tree.ts";
import { commandStarted, ended, joined, runOf, turnStarted } from "../../core/run-of.ts";
import { type Dice, diceOf } from "../../dice.ts";

const ids = (agents: readonly Agent[]) => agents.map(({ id }) => id);

function anyRun(dice: Dice): RunState {
	const agents: AgentId[] = ["1"];
	for (let n = 0; n < 40; n++) {
		const parent = dice.pick(agents) ?? "1";
		agents.push(`${parent}.${agents.filter((id) => id.startsWith(`${parent}.`)).length + 1}`);
	}
	const act = (agent: AgentId): RunEvent =>
		[turnStarted(agent, 1), commandStarted(agent, 1), ended(agent, 3_000 + dice.roll(999))][dice.roll(3)] ??
		ended(agent);
	return runOf(...agents.map((id) => joined(id)), ...agents.filter(() => dice.roll(4) > 0).map(act));
}

test("what is found in one walk is what is found for each agent by itself", () => {
	for (let seed = 1; seed <= 10; seed++) {
		const run = anyRun(diceOf(seed));
		const all = Object.values(run.agents);
		const { branches, roots, atWork, agents } = treeOf(run.agents);
		expect(agents).toBe(all.length);
		for (const [id, { below, children }] of branches) {
			expect(below).toEqual(countDoings(all.filter((agent) => agent.id.startsWith(`${id}.`))));
			expect(ids(children)).toEqual(
				ids(all.filter((agent) => agent.id.replace(/\.\d+$/, "") === id && agent.id !== id)),
			);
		}
		const works = all.filter((agent) => ["thinking", "running"].includes(doingOf(agent)));
		expect(ids(atWork).sort()).toEqual(ids(works).sort());
		expect(treeOf(run.agents).counts).toEqual(countDoings(all));
		expect(ids(roots)).toEqual(["1"]);
	}
});

test("in a record that was damaged an agent without its parent is a root, and counts", () => {
	const run = runOf(joined("1"), joined("1.1"), joined("1.1.1"), joined("1.2"));
	const { "1.1": _, ...agents } = run.agents;
	expect(ids(treeOf(agents).roots)).toEqual(["1", "1.1.1"]);
	expect(treeOf(agents).counts).toEqual(countDoings(Object.values(agents)));
	expect(treeOf({}).roots).toEqual([]);
});
