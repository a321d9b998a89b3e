/** What happens to calls between their start and their answer. */
import { expect, test } from "vitest";
import { NO_USAGE } from "../../../../src/core/model/usage.ts";
import { eventNames, startScenario, told } from "./scenario.ts";

const USED = { ...NO_USAGE, input: 9 };

test("a call that is made again is shown as such and charged, and its answer still comes", () => {
	const run = startScenario();
	run.root();
	run.ask("1");
	const facts = { agent: "1", turn: 1, attempt: 2, waitMs: 700, reason: "Overloaded", usage: USED, costUsd: 0.5 };
	const decision = run.dispatch({ is: "retrying", ...facts });
	expect(decision.events).toEqual([{ event: "turn_retrying", at: expect.any(Number), ...facts }]);
	expect(decision.effects).toEqual([]);
	expect(run.state().run.agents["1"]).toMatchObject({
		usage: USED,
		costUsd: 0.5,
		state: { is: "thinking", turn: 1, retry: { attempt: 2, reason: "Overloaded" } },
	});
	expect(told(run.answer("1"), "1")).toMatchObject([{ say: "answer" }]);
});

test("a call that was cancelled is charged to its agent, also when that has ended", () => {
	const run = startScenario();
	run.root();
	run.ask("1");
	run.gone("1");
	const decision = run.dispatch({ is: "cancelled", agent: "1", turn: 1, usage: USED, costUsd: 0.5 });
	expect(eventNames(decision)).toEqual(["turn_cancelled 1"]);
	expect(run.state().run.agents["1"]).toMatchObject({ usage: USED, costUsd: 0.5, state: { is: "ended" } });
});

// Seen to fail (1.1 goes on calling) without stopIfFatal.
test("a key that is refused stops the run with that ending: calls under way are cancelled, no agent may join", () => {
	const run = startScenario();
	run.root();
	run.runs("1", 1);
	run.child("1", 1);
	run.child("1", 1);
	run.ask("1.1");
	run.ask("1.2");
	const refused = { reason: "invalid x-api-key", exitCode: 77 } as const;
	const outcome = { is: "failure", ...refused, usage: NO_USAGE, stopsRun: true } as const;
	const decision = run.dispatch({ is: "answered", agent: "1.1", outcome, costUsd: 0 });
	expect(eventNames(decision)).toEqual(["turn_failed 1.1", "run_stopping", "agent_stopping 1"]);
	expect(told(decision, "1")).toEqual([{ say: "stop", ending: { by: "failure", ...refused } }]);
	expect(told(decision, "1.1")).toMatchObject([{ say: "ask_failed", ...refused }, { say: "stop" }]);
	expect(decision.effects).toContainEqual({ do: "cancel_call", agent: "1.2" });
	expect(run.ask("1.2").effects).toEqual([]);
	expect(run.calling()).toEqual([]);
	expect(run.child("1", 1).effects).toMatchObject([{ do: "refuse", code: "stopping" }]);
	expect(run.gone("1").events).toContainEqual(
		expect.objectContaining({ event: "agent_ended", ending: { by: "failure", ...refused } }),
	);
});

test("that the service wants fewer calls is an event of the run, until when and how many", () => {
	const run = startScenario();
	const decision = run.dispatch({ is: "slowed", reason: "slow down", waitMs: 2000, maxCalls: 3 });
	const [event] = decision.events;
	expect(event).toEqual({
		event: "calls_slowed",
		at: expect.any(Number),
		reason: "slow down",
		waitMs: 2000,
		maxCalls: 3,
	});
	expect(run.state().run.slowed).toEqual({ reason: "slow down", until: (event?.at ?? 0) + 2000, maxCalls: 3 });
});
