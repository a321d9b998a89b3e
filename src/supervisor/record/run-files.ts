/** What run.json, agent.json and the lines of a transcript say of a run and its agents. */

import { defined } from "../../core/defined.ts";
import type { ModelReply } from "../../core/model.ts";
import type { RunEvent } from "../../core/run-event.ts";
import { type RunState, totalsOf } from "../../core/run-state.ts";
import type { AgentFile, AssistantEntry, RunFile } from "../../core/transcript.ts";
import type { RunSettings } from "../run-settings.ts";

export function runFileOf(
	settings: RunSettings,
	supervisor: { pid: number; startTime: string; startedAt: number },
): RunFile {
	const { run, task, cwd, model, limits, socket, version } = settings;
	return {
		run,
		task,
		cwd,
		model,
		limits,
		supervisor: { pid: supervisor.pid, start_time: supervisor.startTime },
		socket,
		version,
		started_at: supervisor.startedAt,
	};
}

export function runStartedOf(file: RunFile): RunEvent {
	const { run, task, cwd, model, limits, supervisor, version, started_at: at } = file;
	const { pid, start_time: startTime } = supervisor;
	return { event: "run_started", at, run, task, cwd, model, limits, pid, startTime, version };
}

/** run.json of a run that goes on: with another supervisor, and nothing of its end. */
export function resumedRunFileOf(
	before: RunFile,
	settings: RunSettings,
	supervisor: { pid: number; startTime: string },
): RunFile {
	const { ended_at: _, ending: __, exit_code: ___, agents: ____, turns, usage, cost_usd, ...rest } = before;
	return { ...rest, ...runFileOf(settings, { ...supervisor, startedAt: before.started_at }) };
}

/** agent.json at the agent's end. */
export function endedFileOf(file: AgentFile, run: RunState): AgentFile {
	const agent = run.agents[file.agent];
	if (agent === undefined || agent.state.is !== "ended") return file;
	const { turns, commands, usage, costUsd } = agent;
	return { ...file, ended_at: agent.state.at, ending: agent.state.ending, turns, commands, usage, cost_usd: costUsd };
}

/** run.json at the run's end: with what a list of many runs shows, so that it need not read their event logs. */
export function endedRunFileOf(file: RunFile, run: RunState): RunFile {
	if (run.ended === undefined) return file;
	const { at, ending, exitCode } = run.ended;
	const { agents, turns, usage, costUsd } = totalsOf(Object.values(run.agents));
	return { ...file, ended_at: at, ending, exit_code: exitCode, agents, turns, usage, cost_usd: costUsd };
}

export function entryOf(
	reply: ModelReply,
	facts: { turn: number; costUsd: number | null; at: number },
): AssistantEntry {
	const { content, stopReason, usage, model, requestId, messageId } = reply;
	return {
		role: "assistant",
		content,
		at: facts.at,
		turn: facts.turn,
		model,
		stop_reason: stopReason,
		usage,
		cost_usd: facts.costUsd,
		...defined({ request_id: requestId, message_id: messageId }),
	};
}
