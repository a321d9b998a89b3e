import { expect, test } from "vitest";
import { EMPTY_RUN, type RunState, reduce } from "../../../../src/core/run/run-state.ts";
import { runSummary, stateOfRun } from "../../../../src/view/agents/listed-run.ts";
import { agentEnded, BUSY_RUN, replay, runEnded, STARTED_AT } from "../../../fixtures/dashboard-run.ts";
import { END, EVENTS } from "../../faces/print/recorded-run.ts";
import { runFile, T0 } from "../../record/fabricate.ts";

const alone = (run: RunState): RunState => ({
	...run,
	agents: run.agents["1"] === undefined ? {} : { "1": run.agents["1"] },
});
const ofAgents = (run: RunState, costUsd: number | null): RunState => ({
	...run,
	agents: Object.fromEntries(Object.entries(run.agents).map(([id, agent]) => [id, { ...agent, costUsd }])),
});

test("a run that goes on is told with its agents, those that live and failed, its time and its dollars", () => {
	const line = runSummary(BUSY_RUN, "e380", STARTED_AT + 371_000);
	expect(line).toBe("run e380: 5 agents, 4 alive, 1 failed, 6m11s, $0.06 — agent attach e380");
});

test("a run that is over is told with the time that it took, and who was stopped has not failed", () => {
	const stopped = { by: "stopped", reason: "agent stop", signal: 15 } as const;
	const ends = [agentEnded("1.1.1", 50_000, stopped), agentEnded("1.2", 50_000), runEnded(60_000)];
	const over = replay(ends, BUSY_RUN);
	expect(runSummary(over, "e380", STARTED_AT + 371_000)).toBe(
		"run e380: 5 agents, 2 alive, 1 stopped, 1 failed, 1m00s, $0.06 — agent attach e380",
	);
});

test("one agent is one, nothing spent is not told, and a cost that nobody knows is called so", () => {
	const one = (costUsd: number | null) => runSummary(alone(ofAgents(BUSY_RUN, costUsd)), "e380", STARTED_AT + 1_000);
	expect([one(0), one(null)]).toEqual([
		"run e380: 1 agent, 1 alive, 1s — agent attach e380",
		"run e380: 1 agent, 1 alive, 1s, cost unknown — agent attach e380",
	]);
});

test("a run is running, stopping, or how it ended; without a word it has crashed", () => {
	const stateAfter = (events: typeof EVENTS) => events.reduce(reduce, EMPTY_RUN);
	const alive = stateAfter(EVENTS);
	expect(stateOfRun({ file: runFile(), state: alive })).toBe("running");
	expect(stateOfRun({ file: runFile(), state: stateAfter(END.slice(0, 2)) })).toBe("stopping");
	expect(stateOfRun({ file: runFile(), state: alive, isSuspended: true })).toBe("suspended");
	expect(stateOfRun({ file: runFile(), state: stateAfter(END) })).toBe("stopped");
	expect(stateOfRun({ file: runFile({ endedAt: T0, ending: { by: "answer" } }) })).toBe("answer");
	expect(stateOfRun({ file: runFile() })).toBe("crashed");
});
