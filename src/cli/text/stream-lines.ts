/** The lines of stream-json, and the one object of json. Pure. */

import { type Agent, type AgentId, depthOf, type Ending, parentOf, ROOT } from "../../core/agent.ts";
import { defined } from "../../core/defined.ts";
import { exitCodeOf } from "../../core/exit-code.ts";
import { jsonOfAnswer } from "../../core/json-answer.ts";
import { spendingByModel } from "../../core/model-spending.ts";
import type { RunEvent } from "../../core/run-event.ts";
import { agentsInOrder, type RunState, totalsOf } from "../../core/run-state.ts";
import { subtreeTotals } from "../../core/spending.ts";
import type { MessageEntry } from "../../core/transcript.ts";
import type { Usage } from "../../core/usage.ts";
import { worktreesLeft } from "../../core/worktrees.ts";
import type { RunEnd } from "../../supervisor/run-end.ts";
import type { RunSettings } from "../../supervisor/run-settings.ts";
import { describeEnding } from "../../text/states.ts";
import type { AgentPiece } from "./answer-pieces.ts";

export type StreamSettings = Pick<RunSettings, "run" | "cwd" | "version" | "jsonSchema">;

export interface StreamScene {
	readonly settings: StreamSettings;
	readonly run: RunState;
}

/** The line for an event; undefined for the many events that the messages tell, too. */
export function eventLineOf(event: RunEvent, { settings, run }: StreamScene): object | undefined {
	const system = (agent: AgentId, subtype: string, facts: object) => {
		return { type: "system", subtype, ...facts, ...place(agent, settings, run) };
	};
	switch (event.event) {
		case "agent_joined":
		case "agent_resumed":
			return joinedLine(event.agent, settings, run);
		case "agent_ended":
			return system(event.agent, "agent_ended", { ending: event.ending });
		case "turn_retrying": {
			const { turn, attempt, waitMs, reason } = event;
			return system(event.agent, "turn_retrying", { turn, attempt, wait_ms: waitMs, reason });
		}
		case "history_compacted": {
			const { how, tokensBefore, tokensAfter } = event;
			const metadata = { trigger: "auto", pre_tokens: tokensBefore, post_tokens: tokensAfter, how };
			return system(event.agent, "compact_boundary", { compact_metadata: metadata });
		}
		case "budget_noticed":
			return system(event.agent, "budget_noticed", { reason: event.reason });
		case "message_unheard":
			return system(event.agent, "message_unheard", { from: event.from, text: event.text });
		case "agent_changed": {
			const { model, effort, limits, reason } = event;
			return system(event.agent, "agent_changed", defined({ model, effort, limits, reason }));
		}
		case "calls_slowed": {
			const { reason, waitMs, maxCalls } = event;
			return system(ROOT, "calls_slowed", { reason, wait_ms: waitMs, max_calls: maxCalls });
		}
	}
	return undefined;
}

/** A piece of an answer that streams, in the shape of the Messages API's stream. */
export function pieceLine({ agent, turn, event }: AgentPiece, { settings, run }: StreamScene): object {
	const parent_tool_use_id = parentCallOf(agent, run);
	return { type: "stream_event", event, turn, parent_tool_use_id, ...place(agent, settings, run) };
}

function joinedLine(agent: AgentId, settings: StreamSettings, run: RunState): object {
	const { model, limits, task } = run.agents[agent] ?? run;
	const subtype = agent === ROOT ? "init" : "agent_started";
	return {
		type: "system",
		subtype,
		cwd: run.worktrees?.[agent]?.cwd ?? settings.cwd,
		tools: ["bash"],
		model,
		task,
		limits,
		version: settings.version,
		...place(agent, settings, run),
	};
}

export function messageLine(agent: AgentId, entry: MessageEntry, { settings, run }: StreamScene): object {
	const common = { parent_tool_use_id: parentCallOf(agent, run), ...place(agent, settings, run) };
	if (entry.role === "user") return { type: "user", message: { role: "user", content: entry.content }, ...common };
	const { content, model, stopReason, usage, messageId, turn } = entry;
	const message = {
		id: messageId ?? `${agent}-${turn}`,
		type: "message",
		role: "assistant",
		model,
		content,
		stop_reason: stopReason,
		stop_sequence: null,
		usage: usageLine(usage),
	};
	return { type: "assistant", message, ...common };
}

/** The object at the end. `lastWords`: the answer, or what there is of one. */
export function resultLine(end: RunEnd, { settings, run, lastWords }: StreamScene & { lastWords: string }): object {
	const agents = agentsInOrder(run);
	const totals = totalsOf(agents);
	const { ending, exitCode } = end;
	return {
		type: "result",
		subtype: subtypeOf(ending),
		is_error: ending.by !== "answer",
		errors: ending.by === "answer" ? [] : [describeEnding(ending)],
		duration_ms: Math.max(0, (run.ended?.at ?? run.startedAt) - run.startedAt),
		num_turns: run.agents[ROOT]?.turns ?? 0,
		total_turns: totals.turns,
		agents: totals.agents,
		...resultOf(ending, lastWords, settings),
		total_cost_usd: totals.costUsd,
		usage: usageLine(totals.usage),
		modelUsage: modelUsageOf(agents),
		agent_usage: agentUsageOf(run),
		ending,
		exit_code: exitCode,
		...worktreesOf(run),
		...place(ROOT, settings, run),
	};
}

/** An answer of a conversation. */
export interface Answered {
	readonly ending: Ending;
	readonly durationMs: number;
	readonly turns: number;
}

/** As the object at the end, for one answer: time and turns are its own, the sums those of the run up to now. */
export function answerLine(
	{ ending, durationMs, turns }: Answered,
	scene: StreamScene & { lastWords: string },
): object {
	const end: RunEnd = { ending, exitCode: exitCodeOf(ending), survivors: [], rootFinish: undefined };
	return { ...resultLine(end, scene), duration_ms: durationMs, num_turns: turns };
}

/** Those that are kept, where there are any. */
function worktreesOf(run: RunState): object {
	const kept = worktreesLeft(run).map(([agent, { path, branch, base, state }]) => {
		const { is, ...facts } = state;
		return { agent_id: agent, path, branch, base, ...facts };
	});
	return kept.length === 0 ? {} : { worktrees: kept };
}

/** An answer that fits a schema is there as a value, too. */
function resultOf(ending: Ending, lastWords: string, { jsonSchema }: StreamSettings): object {
	if (jsonSchema === undefined || ending.by !== "answer") return { result: lastWords };
	const result = jsonOfAnswer(lastWords);
	return { result, structured_output: JSON.parse(result) };
}

/** The tool call whose command has started the agent, while that command runs. */
function parentCallOf(agent: AgentId, run: RunState): string | null {
	const parent = run.agents[parentOf(agent) ?? ""];
	const command = run.agents[agent]?.command;
	return parent?.running.find((running) => running.command === command)?.toolUseId ?? null;
}

/**
 * Where readers of this format know a word it is theirs: `success`, `error_max_turns`, `error_max_budget_usd`,
 * `error_during_execution`. The other limits have their own: `error_max_time`, `error_max_tokens`, `error_max_processes`.
 */
function subtypeOf(ending: Ending): string {
	if (ending.by === "answer") return "success";
	if (ending.by !== "limit") return "error_during_execution";
	return ending.limit.endsWith("turns") ? "error_max_turns" : `error_${ending.limit.replaceAll("-", "_")}`;
}

/** Usage by model name, in the spelling that readers of this format know. */
function modelUsageOf(agents: readonly Agent[]): Record<string, object> {
	return Object.fromEntries(
		spendingByModel(agents).map(({ model, usage, costUsd }) => {
			const { input, output, cacheRead, cacheWrite } = usage;
			const tokens = { inputTokens: input, outputTokens: output };
			const cache = { cacheReadInputTokens: cacheRead, cacheCreationInputTokens: cacheWrite };
			return [model, { ...tokens, ...cache, costUSD: costUsd }];
		}),
	);
}

/** One entry for each agent, in tree order: what it used itself, and together with all below it. */
function agentUsageOf(run: RunState): object[] {
	const subtrees = subtreeTotals(run);
	return agentsInOrder(run).map((agent) => {
		const below = subtrees.get(agent.id) ?? totalsOf([agent]);
		return {
			agent_id: agent.id,
			parent_agent_id: parentOf(agent.id) ?? null,
			model: agent.model,
			ending: agent.state.is === "ended" ? agent.state.ending : null,
			num_turns: agent.turns,
			usage: usageLine(agent.usage),
			total_cost_usd: agent.costUsd,
			subtree: {
				agents: below.agents,
				num_turns: below.turns,
				usage: usageLine(below.usage),
				total_cost_usd: below.costUsd,
			},
		};
	});
}

function usageLine({ input, output, cacheRead, cacheWrite, uncounted }: Usage): object {
	return {
		input_tokens: input,
		output_tokens: output,
		cache_read_input_tokens: cacheRead,
		cache_creation_input_tokens: cacheWrite,
		...(uncounted !== undefined && { uncounted }),
	};
}

function place(agent: AgentId, settings: StreamSettings, run: RunState): object {
	return {
		session_id: settings.run,
		agent_id: agent,
		parent_agent_id: parentOf(agent) ?? null,
		depth: depthOf(agent),
		pid: run.agents[agent]?.pid ?? null,
	};
}
