import { expect, test } from "vitest";
import { countDoings, doingOf } from "../../../src/core/doing.ts";
import type { Ending } from "../../../src/core/model/agent.ts";
import type { RunEvent } from "../../../src/core/run/run-event.ts";
import { EMPTY_RUN, type RunState, reduce } from "../../../src/core/run/run-state.ts";
import { agentJoined, runStarted, T0 } from "../record/fabricate.ts";

function runOf(...events: RunEvent[]): RunState {
	return [runStarted(), ...events].reduce(reduce, EMPTY_RUN);
}

const turnStarted = (agent: string): RunEvent => ({ event: "turn_started", at: T0, agent, turn: 1, isLast: false });
const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
const retrying = (agent: string): RunEvent => {
	const facts = { turn: 1, attempt: 1, waitMs: 5, reason: "overloaded", usage, costUsd: 0 };
	return { event: "turn_retrying", at: T0, agent, ...facts };
};
const ended = (agent: string, ending: Ending): RunEvent => ({ event: "agent_ended", at: T0, agent, ending });

test("agents are counted by what they do, and how they ended", () => {
	const run = runOf(
		...["1", "1.1", "1.2", "1.3", "1.4", "1.5", "1.6", "1.7"].map((agent) => agentJoined(agent, T0)),
		turnStarted("1.1"),
		turnStarted("1.2"),
		retrying("1.2"),
		ended("1.3", { by: "answer" }),
		ended("1.4", { by: "failure", reason: "x", exitCode: 1 }),
		ended("1.5", { by: "stopped", reason: "x", signal: 15 }),
		ended("1.6", { by: "killed", signal: "SIGKILL" }),
		{ event: "agent_paused", at: T0, agent: "1.7", from: null },
	);
	const counts = { queued: 1, thinking: 1, retrying: 1, answered: 1, failed: 2, stopped: 1, paused: 1 };
	expect(countDoings(Object.values(run.agents))).toEqual({
		asking: 0,
		running: 0,
		waiting: 0,
		listening: 0,
		...counts,
	});
	expect(["1.2", "1.6", "1.7"].map((id) => run.agents[id] && doingOf(run.agents[id]))).toEqual([
		"retrying",
		"failed",
		"paused",
	]);
});
