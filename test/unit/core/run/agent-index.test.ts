/** Whatever happens in a run, what is counted as it happens is what counting all agents anew gives. */
import { expect, test } from "vitest";
import { type Agent, isOver, isWithin, parentOf } from "../../../../src/core/model/agent.ts";
import { NO_USAGE } from "../../../../src/core/model/usage.ts";
import { type Branch, branchOf } from "../../../../src/core/run/agent-index.ts";
import {
	EMPTY_RUN,
	livingWithin,
	type RunState,
	reduce,
	reduceInPlace,
	totalsOf,
} from "../../../../src/core/run/run-state.ts";
import { totalsWithin } from "../../../../src/core/run/spending.ts";
import type { RunEvent } from "../../../../src/core/schemas/run-event.ts";
import { type Dice, diceOf } from "../../dice.ts";
import { commandEnded, commandStarted, ended, joined, STARTED, turnStarted } from "../run-of.ts";

const COMMANDS = 3;

function counted(run: RunState, id: string): Branch {
	const all = Object.values(run.agents);
	const { agents, alive, turns, usage, costUsd } = totalsOf(all.filter((agent) => isWithin(agent.id, id)));
	const children = all.filter((agent) => parentOf(agent.id) === id);
	const living = children.filter((child) => !isOver(child));
	return {
		...{ agents, living: alive, turns, usage, costUsd },
		children: new Set(children.map((child) => child.id)),
		lastChild: Math.max(0, ...children.map((child) => Number(child.id.split(".").at(-1)))),
		livingChildren: new Set(living.map((child) => child.id)),
		livingByCommand: new Map(
			Array.from({ length: COMMANDS }, (_, command) => [
				command,
				living.filter((one) => one.command === command).length,
			]),
		),
	};
}

/** As plain values; a command without living children may have a 0 or nothing. */
function plain(branch: Branch) {
	const { agents, living, turns, usage, costUsd, children, lastChild, livingChildren, livingByCommand } = branch;
	const byCommand = [...livingByCommand].filter(([, count]) => count > 0).sort();
	const sets = { children: [...children].sort(), livingChildren: [...livingChildren].sort(), byCommand };
	return { agents, living, turns, usage, costUsd, lastChild, ...sets };
}

function anyEvent(run: RunState, dice: Dice): RunEvent {
	const ids = Object.keys(run.agents);
	const agent = dice.pick(ids) ?? "1";
	const usage = { ...NO_USAGE, input: dice.roll(500), cacheRead: dice.roll(9000) };
	const costUsd = dice.roll(60) === 0 ? null : dice.roll(1e7) / 1e9;
	const turn = dice.roll(9);
	const common = { at: 1, agent, turn, usage, costUsd };
	switch (dice.roll(8)) {
		case 0:
		case 1: {
			const number = ids.filter((id) => parentOf(id) === agent).length + 1;
			return joined(`${agent}.${number}`, {}, dice.pick([undefined, 0, 1, 2]));
		}
		case 2:
			return agent === "1" ? turnStarted(agent, turn) : ended(agent);
		case 3: {
			const again = { pid: 7, startTime: "9", limits: run.limits, command: dice.roll(COMMANDS) };
			const isOverNow = isOver(run.agents[agent] as Agent);
			return isOverNow ? { event: "agent_resumed", at: 1, agent, ...again } : turnStarted(agent, turn);
		}
		case 4:
			return turnStarted(agent, turn);
		case 5:
			return { event: "turn_ended", stopReason: "end_turn", ...common };
		case 6:
			return dice.roll(2) === 0
				? { event: "turn_cancelled", ...common }
				: { event: "turn_failed", reason: "cut", ...common };
		default:
			return dice.roll(2) === 0 ? commandStarted(agent, dice.roll(COMMANDS)) : commandEnded(agent, dice.roll(COMMANDS));
	}
}

test("after any events, each agent's branch and the living below it are as counted anew", () => {
	for (let seed = 1; seed <= 20; seed++) {
		const dice = diceOf(seed);
		const events = [STARTED, joined("1")];
		let run = events.reduce(reduceInPlace, { ...EMPTY_RUN, agents: {} });
		for (let step = 0; step < 120; step++) {
			const before = run;
			const event = anyEvent(run, dice);
			run = dice.roll(2) === 0 ? reduceInPlace(run, event) : reduce(run, event);
			if (run.agents !== before.agents)
				expect(plain(branchOf(before.agents, "1"))).toEqual(plain(counted(before, "1")));
			const all = Object.values(run.agents);
			const { id } = dice.pick(all) ?? { id: "1" };
			expect(plain(branchOf(run.agents, id))).toEqual(plain(counted(run, id)));
			expect(totalsWithin(run, id)).toEqual(totalsOf(all.filter((agent) => isWithin(agent.id, id))));
			const alive = all.filter((agent) => isWithin(agent.id, id) && !isOver(agent)).map((agent) => agent.id);
			expect(livingWithin(run, id).sort()).toEqual(alive.sort());
		}
	}
});

test("the living at and below an agent come in tree order, also below one that has ended", () => {
	const events = [STARTED, joined("1"), joined("1.10"), joined("1.2"), joined("1.2.1"), joined("1.3"), ended("1.2")];
	const run = events.reduce(reduceInPlace, { ...EMPTY_RUN, agents: {} });
	expect(livingWithin(run, "1")).toEqual(["1", "1.2.1", "1.3", "1.10"]);
	expect([livingWithin(run, "1.2"), livingWithin(run, "1.7")]).toEqual([["1.2.1"], []]);
});
