/** The one object of json, and the last line of stream-json: what a run, or an answer of it, came to. Pure. */

import { EXIT, exitCodeOf } from "../../core/errors.ts";
import { type Agent, type AgentId, depthOf, type Ending, isWithin, parentOf, ROOT } from "../../core/model/agent.ts";
import { jsonOfAnswer } from "../../core/model/json-answer.ts";
import type { Usage } from "../../core/model/usage.ts";
import { worktreesLeft } from "../../core/run/file-events.ts";
import { spendingByModel } from "../../core/run/model-spending.ts";
import { unansweredQuestions } from "../../core/run/questions.ts";
import { agentsInOrder, EMPTY_RUN, type RunState, totalsOf } from "../../core/run/run-state.ts";
import { totalsWithin } from "../../core/run/spending.ts";
import { OUTPUT_FORMATS, type OutputFormat } from "../../project/config/option-table.ts";
import type { RunsLater } from "../../project/undo/runs-later.ts";
import type { RunEnd } from "../../supervisor/run-end.ts";
import { wholeEnding } from "../../text/describe-ending.ts";
import { safeJson } from "../../text/safe/invisible.ts";
import type { RunSettings } from "../../wire/supervise-order.ts";

export type StreamSettings = Pick<RunSettings, "run" | "cwd" | "version" | "jsonSchema">;

export interface StreamScene {
	readonly settings: StreamSettings;
	readonly run: RunState;
}

/** What an agent, the root where none is named, came to. */
export interface ResultScene extends StreamScene {
	/** The answer, or what there is of one. */
	readonly lastWords: string;
	readonly agent?: AgentId | undefined;
	/** What was changed that other programs run. */
	readonly later?: readonly RunsLater[] | undefined;
}

/** The object at the end, with all that is below the agent. */
export function resultLine({ ending, exitCode }: Omit<RunEnd, "rootFinish">, scene: ResultScene): object {
	const { settings, run, lastWords, agent: id = ROOT, later = [] } = scene;
	const agents = agentsInOrder(run).filter((agent) => isWithin(agent.id, id));
	const totals = totalsOf(agents);
	return {
		type: "result",
		subtype: subtypeOf(ending),
		is_error: ending.by !== "answer",
		errors: ending.by === "answer" ? [] : [wholeEnding(ending)],
		duration_ms: durationOf(run, id),
		num_turns: run.agents[id]?.turns ?? 0,
		total_turns: totals.turns,
		agents: totals.agents,
		...resultOf(ending, lastWords, settings),
		total_cost_usd: totals.costUsd,
		usage: usageLine(totals.usage),
		modelUsage: modelUsageOf(agents),
		agent_usage: agentUsageOf(run, agents),
		ending,
		exit_code: exitCode,
		...unansweredOf(run, id),
		...worktreesOf(run, id),
		...(later.length === 0 ? {} : { runs_later: later }),
		...place(id, settings, run),
	};
}

function durationOf(run: RunState, id: AgentId): number {
	const agent = run.agents[id];
	if (id === ROOT || agent === undefined) return Math.max(0, (run.ended?.at ?? run.startedAt) - run.startedAt);
	return Math.max(0, (agent.state.is === "ended" ? agent.state.at : agent.joinedAt) - agent.joinedAt);
}

/** An answer of a conversation. */
export interface Answered {
	readonly ending: Ending;
	readonly durationMs: number;
	readonly turns: number;
}

/** As the object at the end, for one answer: time and turns are its own, the sums those of the run up to now. */
export function answerLine({ ending, durationMs, turns }: Answered, scene: ResultScene): object {
	const end: RunEnd = { ending, exitCode: exitCodeOf(ending), survivors: [], rootFinish: undefined };
	return { ...resultLine(end, scene), duration_ms: durationMs, num_turns: turns };
}

/** What was asked a person and has no answer, where there is anything. */
function unansweredOf(run: RunState, within: AgentId): object {
	const questions = unansweredQuestions(run).filter(({ agent }) => isWithin(agent, within));
	const unanswered = questions.map(({ number, agent, what }) => {
		return { question: number, agent_id: agent, ...what };
	});
	return unanswered.length === 0 ? {} : { unanswered_questions: unanswered };
}

/** Those that are there. */
function worktreesOf(run: RunState, within: AgentId): object {
	const left = worktreesLeft(run).filter(([agent, { state }]) => isWithin(agent, within) && !("isGone" in state));
	const kept = left.map(([agent, { path, branch, base, state }]) => {
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
function agentUsageOf(run: RunState, agents: readonly Agent[]): object[] {
	return agents.map((agent) => {
		const below = totalsWithin(run, agent.id);
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

export function usageLine({ input, output, cacheRead, cacheWrite, uncounted }: Usage): object {
	return {
		input_tokens: input,
		output_tokens: output,
		cache_read_input_tokens: cacheRead,
		cache_creation_input_tokens: cacheWrite,
		...(uncounted !== undefined && { uncounted }),
	};
}

/** What each line has: whose it is. */
export function place(agent: AgentId, settings: StreamSettings, run: RunState): object {
	return {
		session_id: settings.run,
		agent_id: agent,
		parent_agent_id: parentOf(agent) ?? null,
		depth: depthOf(agent),
		pid: run.agents[agent]?.pid ?? null,
	};
}

/** The format that a line of arguments asks for, also one with which something else is wrong. */
export function askedFormat(args: readonly string[]): OutputFormat {
	const flag = "--output-format";
	const options = args.includes("--") ? args.slice(0, args.indexOf("--")) : args;
	const at = options.findLastIndex((arg) => arg === flag || arg.startsWith(`${flag}=`));
	const value = options[at] === flag ? options[at + 1] : options[at]?.slice(flag.length + 1);
	return OUTPUT_FORMATS.find((format) => format === value) ?? "text";
}

/** With its line end; empty where no JSON is asked for. `reason`: what stderr says. */
export function unstartedResult(
	args: readonly string[],
	{ reason, exitCode }: { readonly reason: string; readonly exitCode: number },
): string {
	if (askedFormat(args) === "text") return "";
	const failure = { by: "failure", reason, exitCode: EXIT.failure } as const;
	const end = { ending: failure, exitCode, survivors: [], rootFinish: undefined };
	const settings = { run: "", cwd: "", version: "" };
	const line = resultLine(end, { settings, run: EMPTY_RUN, lastWords: "" });
	return `${safeJson({ ...line, errors: [reason], ending: { ...failure, exitCode }, session_id: null, agent_id: null })}\n`;
}
