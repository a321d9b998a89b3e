import { expect, test } from "vitest";
import { NO_USAGE } from "../../../../src/core/model/usage.ts";
import { spendingByModel } from "../../../../src/core/run/model-spending.ts";
import type { RunEvent } from "../../../../src/core/run/run-event.ts";
import { agentsInOrder } from "../../../../src/core/run/run-state.ts";
import { joined, runOf, turnEnded } from "../run-of.ts";

const used = (output: number) => ({ ...NO_USAGE, output });
const answered = (agent: string, output: number): RunEvent =>
	({ ...turnEnded(agent, 1), usage: used(output), costUsd: output / 100 }) as RunEvent;
const goesOnWith = (model: string): RunEvent => ({ event: "agent_changed", at: 2500, agent: "1", model });
const byModel = (...events: RunEvent[]) =>
	spendingByModel(agentsInOrder(runOf(...events))).map(({ model, usage, costUsd }) => [model, usage.output, costUsd]);

test("what agents have used is summed by their models", () => {
	const other = { ...joined("1.1"), model: "other" } as RunEvent;
	expect(byModel(joined("1"), other, joined("1.2"), answered("1", 10), answered("1.1", 7), answered("1.2", 5))).toEqual(
		[
			["shell", 15, 0.15],
			["other", 7, 0.07],
		],
	);
});

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
