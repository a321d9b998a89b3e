/** The contents of run.json, agent.json and the lines of a transcript. */

import { SKIPPED } from "../../core/ask-mode.ts";
import { defined } from "../../core/defined.ts";
import { countDoings } from "../../core/doing.ts";
import { ROOT } from "../../core/model/agent.ts";
import type { ModelReply } from "../../core/model/model.ts";
import { type RunState, totalsOf } from "../../core/run/run-state.ts";
import type { RunEvent } from "../../core/schemas/run-event.ts";
import { type AgentFile, RUN_FORMAT, type RunFile } from "../../core/schemas/run-files.ts";
import type { AssistantEntry } from "../../core/schemas/transcript.ts";
import type { RunSettings } from "../../wire/supervise-order.ts";

/** run.json at the beginning of a run. */
export function runFileOf(
	settings: RunSettings,
	supervisor: { pid: number; startTime: string; startedAt: number },
): RunFile {
	const { run, task, cwd, model, limits, socket, version, isConversation, name, noSandbox } = settings;
	const skipsPermissions = skips(settings);
	return {
		format: RUN_FORMAT,
		run,
		task,
		cwd,
		model,
		limits,
		supervisor: { pid: supervisor.pid, startTime: supervisor.startTime },
		socket,
		version,
		...defined({ isConversation, skipsPermissions, noSandbox, name }),
		startedAt: supervisor.startedAt,
	};
}

/** Undefined: it does not. */
export function skips({ asking }: Pick<RunSettings, "asking">): true | undefined {
	return asking?.mode === SKIPPED ? true : undefined;
}

/** The first event of a run. */
export function runStartedOf(file: RunFile): RunEvent {
	const { run, task, cwd, model, limits, supervisor, version, origin, startedAt: at } = file;
	const { isConversation, skipsPermissions, noSandbox } = file;
	const { pid, startTime } = supervisor;
	const started = { event: "run_started", at, run, task, cwd, model, limits, pid, startTime, version } as const;
	return { ...started, ...defined({ origin, isConversation, skipsPermissions, noSandbox }) };
}

/** run.json of a resumed run: with its new supervisor, and without its end. */
export function resumedRunFileOf(
	before: RunFile,
	settings: RunSettings,
	supervisor: { pid: number; startTime: string },
): RunFile {
	const { endedAt: _, ending: __, exitCode: ___, agents: ____, hadListened: _____, ...others } = before;
	const { failed, turns, usage, costUsd, skipsPermissions: ______, noSandbox: _______, ...rest } = others;
	return { ...rest, ...runFileOf(settings, { ...supervisor, startedAt: before.startedAt }) };
}

/** agent.json at the agent's end. */
export function endedFileOf(file: AgentFile, run: RunState): AgentFile {
	const agent = run.agents[file.agent];
	if (agent === undefined || agent.state.is !== "ended") return file;
	const { turns, commands, usage, costUsd } = agent;
	return { ...file, endedAt: agent.state.at, ending: agent.state.ending, turns, commands, usage, costUsd };
}

/** run.json with the name that the run has now. */
export function namedRunFileOf({ name: _, ...file }: RunFile, { name }: Pick<RunState, "name">): RunFile {
	return { ...file, ...defined({ name }) };
}

/** run.json at the run's end, with what a list of many runs shows, so that the list need not read event logs. */
export function endedRunFileOf(file: RunFile, run: RunState): RunFile {
	if (run.ended === undefined) return file;
	const { at, ending, exitCode } = run.ended;
	const all = Object.values(run.agents);
	const { agents, turns, usage, costUsd } = totalsOf(all);
	const { failed } = countDoings(all);
	const { hadListened } = run.agents[ROOT] ?? {};
	const totals = { agents, failed, turns, usage, costUsd };
	return { ...namedRunFileOf(file, run), ...defined({ hadListened }), endedAt: at, ending, exitCode, ...totals };
}

/** The line of an answer in its agent's transcript. */
export function entryOf(reply: ModelReply, call: { turn: number; costUsd: number | null; at: number }): AssistantEntry {
	const { content, stopReason, usage, model, requestId, messageId } = reply;
	return {
		role: "assistant",
		content,
		at: call.at,
		turn: call.turn,
		model,
		stopReason,
		usage,
		costUsd: call.costUsd,
		...defined({ requestId, messageId }),
	};
}
