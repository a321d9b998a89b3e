/** What a run was asked for, and what an agent that is admitted is told and has written down about it. */
import { type Agent, type AgentId, type Ending, parentOf } from "../core/agent.ts";
import type { Limits } from "../core/limits.ts";
import type { Effort, ModelReply } from "../core/model.ts";
import type { Patience } from "../core/patience.ts";
import type { RunEvent } from "../core/run-event.ts";
import { type RunState, totalsOf } from "../core/run-state.ts";
import type { Bounds } from "../core/shortage.ts";
import type { AgentFile, AssistantEntry, RunFile, TranscriptEntry } from "../core/transcript.ts";
import { contextTokensOf, type PricedModel } from "../models/prices.ts";
import type { FromAgent, Join, Joined, Resumed } from "../protocol/messages.ts";

const COMPACT_AT = 0.8;

export interface RunSettings {
	run: string;
	/** The state directory. */
	home: string;
	socket: string;
	task: string;
	cwd: string;
	model: string;
	effort?: Effort;
	/** As in Joined; absent: the usual share. */
	compactAt?: number;
	limits: Limits;
	bounds: Bounds;
	patience: Patience;
	/** The user's own, which go before the built-in ones. */
	prices: readonly PricedModel[];
	/** For the root only. */
	systemPrompt?: string;
	/** For every agent. */
	appendSystemPrompt?: string;
	version: string;
	/** Where the root's answer and its last line on stderr go. */
	rootStdio: "inherit" | "ignore";
	nodeProgram: string;
	/** What runs in the background when the root has answered stays, and is named. */
	keepsBackground: boolean;
	/** The child's bundle, also what `agent` is for the agents' bash. */
	agentProgram: string;
	/** The soft limit of open files for commands, when it is not the one that they would inherit. */
	commandFiles?: number;
	/** The environment that agents start from, without any key. */
	env: Record<string, string>;
}

/** An agent as the supervisor knows it beside the run's state. */
export interface Member {
	readonly id: AgentId;
	readonly token: string;
	readonly file: AgentFile;
	readonly compactAt: number;
}

/** Model, effort and the appended prompt come from the parent unless the child asks for its own. */
export function memberOf(
	id: AgentId,
	join: Join,
	token: string,
	facts: { settings: RunSettings; run: RunState; parent: Member | undefined },
): Member {
	const { settings, run, parent } = facts;
	const agent = run.agents[id];
	const effort = join.effort ?? parent?.file.effort ?? settings.effort;
	const systemPrompt = join.systemPrompt ?? (parent === undefined ? settings.systemPrompt : undefined);
	const inherited = parent === undefined ? settings.appendSystemPrompt : parent.file.append_system_prompt;
	const appendSystemPrompt = join.appendSystemPrompt ?? inherited;
	const compactAt = join.compactAt ?? parent?.compactAt ?? settings.compactAt ?? COMPACT_AT;
	const file: AgentFile = {
		agent: id,
		run: settings.run,
		...(parent === undefined ? {} : { parent: parent.id }),
		task: join.task ?? settings.task,
		cwd: join.cwd,
		model: agent?.model ?? settings.model,
		...(effort === undefined ? {} : { effort }),
		limits: agent?.limits ?? settings.limits,
		system: "",
		...(systemPrompt === undefined ? {} : { system_prompt: systemPrompt }),
		...(appendSystemPrompt === undefined ? {} : { append_system_prompt: appendSystemPrompt }),
		...(compactAt === COMPACT_AT ? {} : { compact_at: compactAt }),
		...(agent?.windowTokens === undefined ? {} : { window_tokens: agent.windowTokens }),
		joined_at: agent?.joinedAt ?? 0,
	};
	return {
		id,
		token,
		file,
		compactAt,
	};
}

export function joinedMessage(
	member: Member,
	directories: { agent: string; shim: string },
	{ settings, resumed }: { settings: RunSettings; resumed?: Resumed | undefined },
): Joined {
	const { file, token } = member;
	const { system_prompt: systemPrompt, append_system_prompt: appendSystemPrompt } = file;
	return {
		say: "joined",
		run: settings.run,
		agent: member.id,
		token,
		task: file.task,
		cwd: file.cwd,
		directory: directories.agent,
		shimDirectory: directories.shim,
		home: settings.home,
		model: file.model,
		limits: file.limits,
		contextTokens: contextTokensOf(file.model, settings.prices),
		compactAt: file.model === "shell" ? 0 : member.compactAt, // it has no use for a summary
		...(settings.commandFiles === undefined ? {} : { commandFiles: settings.commandFiles }),
		...(systemPrompt === undefined ? {} : { systemPrompt }),
		...(appendSystemPrompt === undefined ? {} : { appendSystemPrompt }),
		...(resumed === undefined ? {} : { resumed }),
		printsAnswer: parentOf(member.id) !== undefined || settings.rootStdio === "inherit",
	};
}

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

export function timeIsUp(agent: AgentId, maxTimeMs: number): Ending {
	const reason = `time limit reached (max-time ${maxTimeMs / 1000} s for agent ${agent} and all below it)`;
	return { by: "limit", limit: "max-time", reason };
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
		...(requestId === undefined ? {} : { request_id: requestId }),
		...(messageId === undefined ? {} : { message_id: messageId }),
	};
}

/** A note of an agent does not know how its calls were counted. */
export function withTurn(entry: Recorded, agent: Agent | undefined): TranscriptEntry {
	return entry.role === "note" ? { ...entry, turn: agent?.turns ?? 0 } : entry;
}

type Recorded = Extract<FromAgent, { say: "record" }>["entry"];

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
