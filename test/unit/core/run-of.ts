/** The state of a run after a few events, for tests of the rules that read it. */

import { DEFAULT_LIMITS, type Limits } from "../../../src/core/limits/limits.ts";
import type { AgentId } from "../../../src/core/model/agent.ts";
import { NO_USAGE } from "../../../src/core/model/usage.ts";
import { EMPTY_RUN, type RunState, reduce } from "../../../src/core/run/run-state.ts";
import type { RunEvent } from "../../../src/core/schemas/run-event.ts";

export const STARTED: RunEvent = {
	event: "run_started",
	at: 1000,
	run: "r1",
	task: "count",
	cwd: "/work",
	model: "shell",
	limits: DEFAULT_LIMITS,
	pid: 50,
	startTime: "5",
	version: "0.1.0",
};

export function joined(agent: AgentId, limits: Partial<Limits> = {}, command?: number, at = 1000): RunEvent {
	return {
		event: "agent_joined",
		at,
		agent,
		pid: 100,
		startTime: "9",
		task: `task of ${agent}`,
		model: "shell",
		limits: { ...DEFAULT_LIMITS, ...limits },
		...(command === undefined ? {} : { command }),
	};
}

export function turnStarted(agent: AgentId, turn: number, isLast = false, at = 2000): RunEvent {
	return { event: "turn_started", at, agent, turn, isLast };
}

export function turnEnded(agent: AgentId, turn: number, at = 2000): RunEvent {
	return { event: "turn_ended", at, agent, turn, stopReason: "tool_use", usage: NO_USAGE, costUsd: 0 };
}

export function commandStarted(agent: AgentId, command: number, at = 2000): RunEvent {
	const log = `out/${String(command).padStart(4, "0")}.log`;
	return { event: "command_started", at, agent, command, text: "ls", pid: 200 + command, startTime: "20", log };
}

export function commandEnded(agent: AgentId, command: number, at = 2000): RunEvent {
	return {
		event: "command_ended",
		at,
		agent,
		command,
		end: { by: "exit", code: 0 },
		outputBytes: 3,
		leftRunning: [],
	};
}

export function ended(agent: AgentId, at = 2000): RunEvent {
	return { event: "agent_ended", at, agent, ending: { by: "answer" } };
}

export function runOf(...events: RunEvent[]): RunState {
	return [STARTED, ...events].reduce(reduce, EMPTY_RUN);
}
