import { expect, test } from "vitest";
import { DEFAULT_LIMITS, type Limits, limitsOfChild } from "../../../../src/core/limits/limits.ts";
import { depthOf, isOver, isWithin, parentOf } from "../../../../src/core/model/agent.ts";
import { admit, turnLimitReached } from "../../../../src/core/run/admission.ts";
import { EMPTY_RUN, reduce } from "../../../../src/core/run/run-state.ts";
import type { RunEvent } from "../../../../src/core/schemas/run-event.ts";
import { diceOf } from "../../dice.ts";
import { ended, joined, runOf, STARTED, turnStarted } from "../run-of.ts";

const admitted = { is: "admitted" };
const refused = (code: string, reason: string) => ({ is: "refused", code, reason });

test("depth is counted from the agent that holds the limit, whoever asks below it", () => {
	const run = runOf(joined("1"), joined("1.1", { maxDepth: 1 }), joined("1.1.1"));
	expect(admit(run, "1.1")).toEqual(admitted);
	expect(admit(run, "1.1.1")).toEqual(
		refused(
			"depth",
			"depth limit reached (max-depth 1 below agent 1.1): do this task yourself, without starting agents",
		),
	);
});

test("agents are counted over the whole subtree and forever: an end frees no place", () => {
	const run = runOf(joined("1", { maxAgents: 3 }), joined("1.1"), joined("1.1.1"), ended("1.1.1"));
	expect(admit(run, "1.1")).toEqual(
		refused(
			"agents",
			"agent limit reached (max-agents 3 from agent 1 down, all used): do this task yourself, without starting agents",
		),
	);
});

test("nothing starts in a run that is stopping, below a closed agent, or below one that has ended", () => {
	const tree = [joined("1"), joined("1.1"), joined("1.1.1"), joined("1.2")];
	const stopping = runOf(...tree, { event: "run_stopping", at: 1, reason: "Ctrl-C" });
	expect(admit(stopping, "1.2")).toEqual(refused("stopping", "the run is stopping (Ctrl-C)"));
	const closed = runOf(...tree, { event: "agent_stopping", at: 1, agent: "1.1", reason: "enough" });
	expect(admit(closed, "1.1.1")).toEqual(refused("stopping", "agent 1.1 is being stopped"));
	expect(admit(closed, "1.2")).toEqual(admitted);
	expect(admit(runOf(...tree, ended("1.1")), "1.1.1")).toEqual(refused("stopping", "agent 1.1 above it has ended"));
	expect(admit(runOf(...tree), "1.9")).toEqual(refused("stopping", "agent 1.9 above it has ended"));
});

test("the last call at a limit is not counted as a turn", () => {
	const run = runOf(joined("1", { maxTurns: 2 }), turnStarted("1", 1), turnStarted("1", 2, true));
	expect(turnLimitReached(run, "1")).toBeUndefined();
});

test("turns in all bind the subtree of their holder, those of ended agents included, and nobody beside it", () => {
	const run = runOf(
		...[joined("1"), joined("1.1", { maxTotalTurns: 2 }), joined("1.1.1"), joined("1.2")],
		...[turnStarted("1.1", 1), turnStarted("1.1.1", 1), ended("1.1.1")],
	);
	const reached = { limit: "max-total-turns", reason: "turn limit reached (max-total-turns 2 from agent 1.1 down)" };
	expect(turnLimitReached(run, "1.1")).toEqual(reached);
	expect(turnLimitReached(run, "1.2")).toBeUndefined();
});

test("a turn that waits to start is taken already", () => {
	const run = runOf(joined("1", { maxTotalTurns: 2 }), joined("1.1"), joined("1.2"), turnStarted("1", 1));
	expect(turnLimitReached(run, "1.2")).toBeUndefined();
	expect(turnLimitReached(run, "1.2", (within) => (within === "1" || within === "1.1" ? 1 : 0))).toEqual({
		limit: "max-total-turns",
		reason: "turn limit reached (max-total-turns 2 from agent 1 down)",
	});
});

test("in any order of starts and ends no limit of any agent above is exceeded", () => {
	for (let seed = 1; seed <= 25; seed++) {
		const dice = diceOf(seed);
		const asked = (): Partial<Limits> => ({
			maxDepth: dice.roll(4),
			maxAgents: 1 + dice.roll(20),
			maxChildren: dice.roll(4),
		});
		let run = [STARTED, joined("1", { maxDepth: 3, maxAgents: 15, maxChildren: 3 })].reduce(reduce, EMPTY_RUN);
		for (let step = 0; step < 50; step++) {
			const parent = dice.pick(Object.keys(run.agents)) ?? "1";
			const event = dice.roll(4) === 0 && parent !== "1" ? ended(parent) : childOf(parent);
			if (event !== undefined) run = reduce(run, event);
			const exceeded = Object.values(run.agents).filter(({ id, limits }) => {
				const within = Object.keys(run.agents).filter((other) => isWithin(other, id));
				const deepest = Math.max(...within.map((other) => depthOf(other) - depthOf(id)));
				const children = Object.values(run.agents).filter(
					(other) => parentOf(other.id) === id && !isOver(other),
				).length;
				return within.length > limits.maxAgents || children > limits.maxChildren || deepest > limits.maxDepth;
			});
			expect(exceeded).toEqual([]);
		}
		function childOf(parent: string): RunEvent | undefined {
			if (admit(run, parent).is === "refused") return undefined;
			const number = Object.keys(run.agents).filter((id) => parentOf(id) === parent).length + 1;
			return joined(`${parent}.${number}`, limitsOfChild(run.agents[parent]?.limits ?? DEFAULT_LIMITS, asked()));
		}
	}
});

test("a task may be handed on as it is once: a third agent with it on one line of descent is refused, beside it not", () => {
	// Seen to fail with the rule left out of `admit`.
	const doing = (agent: string, taskKey: string): RunEvent => ({ ...joined(agent), taskKey }) as RunEvent;
	const once = runOf(doing("1", "a"), doing("1.1", "b"));
	expect(admit(once, "1.1", "a")).toEqual(admitted);
	const twice = runOf(doing("1", "a"), doing("1.1", "b"), doing("1.1.1", "a"), doing("1.2", "a"));
	expect(admit(twice, "1.1.1", "a")).toEqual(
		refused(
			"recursion",
			"agents 1 and 1.1.1 above it already have exactly this task: do it yourself, or split it and give each agent a smaller part with its own description",
		),
	);
	expect(admit(twice, "1.1.1", "c")).toEqual(admitted);
	expect(admit(twice, "1.1", "a")).toEqual(admitted);
	expect(admit(twice, "1", "a")).toEqual(admitted);
	expect(admit(runOf(joined("1"), joined("1.1")), "1.1")).toEqual(admitted);
});
