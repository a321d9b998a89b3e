import { expect, test } from "vitest";
import type { Ending } from "../../../../src/core/model/agent.ts";
import { EMPTY_RUN, type RunState, reduce } from "../../../../src/core/run/run-state.ts";
import type { RunEvent } from "../../../../src/core/schemas/run-event.ts";
import { activityOf, type CommandActivity } from "../../../../src/view/agents/activity.ts";
import { RunView } from "../../../../src/view/agents/run-view.ts";
import { type DoingGroup, whyOf } from "../../../../src/view/causes/why.ts";
import { agentJoined, runStarted, T0 } from "../../record/fabricate.ts";

const now = T0 + 100_000;
const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

function runOf(...events: RunEvent[]): RunState {
	return [runStarted(), ...events].reduce(reduce, EMPTY_RUN);
}

const thinks = (agent: string, at: number): RunEvent => ({ event: "turn_started", at, agent, turn: 1, isLast: false });
const retries = (agent: string, reason: string): RunEvent => {
	return { event: "turn_retrying", at: now, agent, turn: 1, attempt: 2, waitMs: 9_000, reason, usage, costUsd: 0 };
};
const runs = (agent: string, at: number, command = 1): RunEvent[] => {
	const facts = { command, text: "make", pid: 7, startTime: "80", log: `out/000${command}.log` };
	return [
		...(command === 1 ? [thinks(agent, at)] : []),
		{ event: "turn_ended", at, agent, turn: 1, stopReason: "tool_use", usage, costUsd: 0 },
		{ event: "command_started", at, agent, ...facts },
	];
};
const activity = (agent: string, silentSince: number | undefined, command = 1): CommandActivity => {
	return { agent, command, silentSince, cpuMs: 0, processes: [] };
};

function doingGroups(run: RunState, root: string, activities: readonly CommandActivity[] = []): readonly DoingGroup[] {
	return whyOf(new RunView({ run, now, activity: activityOf(activities) }), root, []).groups;
}

function told(groups: readonly DoingGroup[]): string[] {
	return groups.map(({ doing, reason, members }) => {
		const who = members.map(({ agent, since }) => `${agent} ${(now - since) / 1_000}`).join(", ");
		return `${doing}${reason === undefined ? "" : ` (${reason})`}: ${who}`;
	});
}

test("agents that do the same are one group, the longest first, in the groups and in each of them", () => {
	const run = runOf(
		...["1", "1.1", "1.2", "1.3", "1.4", "1.5", "1.6", "1.7", "1.8"].map((id) =>
			agentJoined(id, T0 + 90_000, { command: 1 }),
		),
		...runs("1", T0),
		thinks("1.1", T0 + 30_000),
		thinks("1.2", T0 + 20_000),
		...["1.3", "1.4", "1.5"].map((agent) => thinks(agent, T0 + 50_000)),
		retries("1.3", "overloaded\u001b[2J"),
		retries("1.4", "overloaded"),
		retries("1.5", "no route to the host"),
		{ event: "turn_queued", at: T0 + 95_000, agent: "1.7", reason: "short of memory" },
		{ event: "agent_paused", at: T0 + 99_000, agent: "1.8", from: null },
	);
	expect(told(doingGroups(run, "1"))).toEqual([
		"thinking: 1.2 80, 1.1 70",
		"retrying (overloaded): 1.3 50, 1.4 50",
		"retrying (no route to the host): 1.5 50",
		"queued: 1.6 10",
		"queued (short of memory): 1.7 5",
		"paused (agent continue 1.8 ends the pause): 1.8 1",
	]);
	expect(told(doingGroups(run, "1.3"))).toEqual(["retrying (overloaded): 1.3 50"]);
	expect(doingGroups(run, "1.9")).toEqual([]);
});

test("commands that print nothing for half a minute are a group of their own, those that print last speak for their agent", () => {
	const run = runOf(
		...["1", "1.1", "1.2", "1.3", "1.4"].map((id) => agentJoined(id, T0)),
		...["1", "1.1", "1.2", "1.3", "1.4"].flatMap((id) => runs(id, T0 + 10_000)),
		...runs("1.3", T0 + 20_000, 2),
	);
	const activities = [
		activity("1", now - 30_000),
		activity("1.1", now - 29_999),
		activity("1.2", now - 60_000),
		activity("1.3", now - 80_000),
		activity("1.3", now - 1_000, 2),
		activity("1.4", undefined),
	];
	const groups = doingGroups(run, "1", activities);
	expect(told(groups)).toEqual(["running: 1.1 90, 1.3 90, 1.4 90", "silent: 1.2 60, 1 30"]);
	expect(groups[0]?.members[1]?.activity?.command).toBe(2);
});

test("who is over, or waits for others, is in no group", () => {
	const run = runOf(
		agentJoined("1", T0),
		...runs("1", T0),
		agentJoined("1.1", T0, { command: 1 }),
		{ event: "agent_ended", at: now, agent: "1.1", ending: { by: "answer" } },
		agentJoined("1.2", T0, { command: 1 }),
	);
	expect(told(doingGroups(run, "1"))).toEqual(["queued: 1.2 100"]);
});

test("agents that failed alike are one group, the largest first; who was stopped, or has answered, has not failed", () => {
	const ended = (agent: string, ending: Ending): RunEvent => ({ event: "agent_ended", at: T0, agent, ending });
	const failed = (agent: string, reason: string) => ended(agent, { by: "failure", reason, exitCode: 1 });
	const run = runOf(
		...["1", "1.1", "1.2", "1.3", "1.4", "1.5", "1.10"].map((id) => agentJoined(id, T0)),
		failed("1", "all is lost"),
		ended("1.1", { by: "killed", signal: "SIGKILL" }),
		failed("1.10", "no such file"),
		failed("1.2", "no such file"),
		ended("1.3", { by: "stopped", reason: "agent stop", signal: 15 }),
		ended("1.4", { by: "answer" }),
	);
	const failedGroups = (root: string) => whyOf(new RunView({ run, now }), root, []).failed;
	expect(failedGroups("1")).toEqual([
		{ text: "failure: no such file", agents: ["1.2", "1.10"] },
		{ text: "killed by SIGKILL", agents: ["1.1"] },
	]);
	expect(failedGroups("1.2")).toEqual([]);
});
