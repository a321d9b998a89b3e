/** What the budgets above an agent mean for one call: what it may use, what is noted of it, what its agent is told. Pure. */
import type { AgentId } from "../../core/agent.ts";
import type { LimitReached } from "../../core/limits.ts";
import type { AskKind, AssistantBlock, ModelRequest } from "../../core/model.ts";
import { totalTokens, type Usage } from "../../core/usage.ts";
import { factsOf } from "../../models/catalogue.ts";
import { windowTokens } from "../../models/provider/model-facts.ts";
import { type BudgetFacts, budgetNotices, overdrawnCalls, type PlannedCall, type Verdict, weigh } from "./budget.ts";
import { dollarsBinding, isBudgeted } from "./budget-scope.ts";
import { type Decision, emit, setAsk } from "./decision.ts";
import type { Input } from "./input.ts";
import {
	type Counted,
	NOTHING_COUNTED,
	promptTokensAtMost,
	ratioAfter,
	tokensAtMost,
	withShorterResults,
} from "./prompt-estimate.ts";
import { REPORT_PROMPT_TOKENS } from "./report-costs.ts";
import type { Ask, SupervisorState } from "./supervisor-state.ts";

const FIRST_PROMPT_TOKENS = 3_000; // instructions and tool of a new agent
const GO_ON_CALLS = ["pause_turn", "max_tokens"];

/** What a call may use, or why it is not made now; `planned` is what is set aside for it. */
export type WeighedCall =
	| { readonly is: "fits"; readonly request: ModelRequest; readonly planned?: PlannedCall }
	/** With what was found out about the request: it is not read again while it waits. */
	| (Extract<Verdict, { is: "waits" }> & { readonly promptTokens: number })
	| Extract<Verdict, { is: "refused" }>;

export function weighCall(state: SupervisorState, agent: AgentId, ask: Ask): WeighedCall {
	const { run, ledger } = state;
	const { kind, request } = ask;
	const model = run.agents[agent]?.model ?? run.model;
	const facts = factsOf(model, ledger.prices);
	const maxTokens = Math.min(facts.maxAnswerTokens, request.maxTokens ?? Number.POSITIVE_INFINITY);
	if (!isBudgeted(run, agent)) return { is: "fits", request: withBound(request, maxTokens, model) };
	const counted = countedFor(state, agent);
	const promptTokens = ask.promptTokens ?? promptTokensOf(request, counted, windowTokens(facts));
	const { tokens, ratio } = counted;
	const shortest = kind === "last" && tokens !== undefined ? tokens + REPORT_PROMPT_TOKENS : promptTokens;
	const leastPromptTokens = Math.min(promptTokens, shortest);
	const isFirst = kind === "turn" && run.agents[agent]?.turns === 0;
	const wish = { agent, model, kind, promptTokens, maxTokens, leastPromptTokens, isFirst };
	const verdict = weigh(wish, budgetFacts(state, agent));
	if (verdict.is === "waits") return { ...verdict, promptTokens };
	if (verdict.is === "refused") return verdict;
	const { is: _, ...fit } = verdict;
	const fitting = fit.promptTokens < promptTokens ? withShorterResults(request, REPORT_PROMPT_TOKENS / ratio) : request;
	const planned = { agent, ...fit };
	return { is: "fits", request: withBound(fitting, fit.maxTokens, model), planned };
}

function promptTokensOf(request: ModelRequest, counted: Counted, contextTokens: number): number {
	return Math.min(contextTokens, promptTokensAtMost(request, counted));
}

/** Why a child may not start, or go on: its calls have no price, which is wrong usage, or a budget no room for the first. */
export function budgetRefusal(
	state: SupervisorState,
	{ resolved, join }: Extract<Input, { is: "joined" }>,
): { parent: AgentId; code: "budget" | "usage"; reason: string } | undefined {
	if (resolved.is !== "child") return undefined;
	const { parent } = resolved;
	const { run, ledger } = state;
	const model = join.model ?? run.agents[join.resume ?? parent]?.model ?? run.model;
	const facts = factsOf(model, ledger.prices);
	const bound = dollarsBinding(run, parent) ?? (join.limits.maxBudgetUsd === undefined ? undefined : "of its own");
	if (bound !== undefined && facts.price.is === "unknown")
		return {
			parent,
			code: "usage",
			reason: `no price is known for the model ${model}, and a budget in dollars binds it (${bound}): name a model whose price is known, or none, for your own`,
		};
	if (!isBudgeted(run, parent)) return undefined;
	const promptTokens = FIRST_PROMPT_TOKENS + tokensAtMost(join.task ?? "");
	const { maxAnswerTokens: maxTokens } = facts;
	const wish = { agent: `${parent}.0`, model, kind: "turn", promptTokens, maxTokens, isFirst: true } as const;
	const verdict = weigh(wish, { ...budgetFacts(state, parent), underWay: [] });
	if (verdict.is !== "refused") return undefined;
	return { parent, code: "budget", reason: `${verdict.reason}: start no more agents, and report what you have` };
}

/** The agent asks no more. What was set aside for a call under way stays so until it has been charged. */
export function withdrawAsk(decision: Decision, agent: AgentId): void {
	const { asks, ledger } = decision.state;
	const ask = asks.get(agent);
	if (ask?.isCalling) decision.effects.push({ do: "cancel_call", agent });
	if (ask?.planned !== undefined) ledger.unsettled.push(ask.planned);
	setAsk(decision, agent, undefined);
}

export function settleCancelled({ state }: Decision, agent: AgentId): void {
	const { unsettled } = state.ledger;
	const at = unsettled.findIndex((call) => call.agent === agent);
	if (at >= 0) unsettled.splice(at, 1);
}

/** `planned`: of the call, where a budget binds it. */
export function noteAnswered(decision: Decision, agent: AgentId, usage: Usage, planned?: PlannedCall): void {
	const { run, ledger } = decision.state;
	const compactions = run.agents[agent]?.compactions ?? 0;
	const before = countedFor(decision.state, agent);
	const tokens = totalTokens(usage);
	const ratio = ratioAfter(before, { counted: tokens - usage.output, estimated: planned?.promptTokens ?? 0 });
	const added = before.tokens === undefined || planned === undefined ? 0 : planned.promptTokens - before.tokens;
	ledger.answered.set(agent, { tokens, ratio, compactions, added });
}

export function noteRefused(decision: Decision, agent: AgentId, reached: LimitReached): void {
	decision.state.ledger.refused.set(agent, reached);
}

/** What an agent that goes on is told of its budgets: of each once. */
export function takeNotices(
	decision: Decision,
	agent: AgentId,
	reply: { kind: AskKind; content: readonly AssistantBlock[]; stopReason: string },
	now: number,
): string[] {
	const goesOn = reply.content.some(({ type }) => type === "tool_use") || GO_ON_CALLS.includes(reply.stopReason);
	if (reply.kind !== "turn" || !goesOn) return [];
	const { ledger } = decision.state;
	const notices = budgetNotices(
		budgetFacts(decision.state, agent),
		agent,
		ledger.answered.get(agent)?.added ?? 0,
	).filter(({ key }) => !ledger.noticed.has(key));
	for (const { reason } of notices) emit(decision, { event: "budget_noticed", at: now, agent, reason });
	for (const { key } of notices) ledger.noticed.add(key);
	return notices.map(({ reason }) => `${reason}. At its end you can only report: do now what matters most.`);
}

/** Calls that are tried again although their tries have used up what was set aside. */
export function overdrawn(state: SupervisorState): { agent: AgentId; reached: LimitReached }[] {
	return overdrawnCalls(budgetFacts(state));
}

function countedFor({ run, ledger }: SupervisorState, agent: AgentId): Counted {
	const counted = ledger.answered.get(agent);
	if (counted === undefined) return NOTHING_COUNTED;
	const { tokens, ratio, compactions } = counted;
	return compactions === (run.agents[agent]?.compactions ?? 0) ? { tokens, ratio } : { ratio };
}

function budgetFacts({ run, slots, asks, reported, ledger }: SupervisorState, except?: AgentId): BudgetFacts {
	const calls = [...slots.active].flatMap((agent) => (agent === except ? [] : (asks.get(agent)?.planned ?? [])));
	return { run, reported, underWay: [...calls, ...ledger.unsettled], reports: ledger.reports };
}

/** A request that needs no bound stays as it is: its body must not change from turn to turn without need. */
function withBound(request: ModelRequest, maxTokens: number, model: string): ModelRequest {
	return maxTokens < (request.maxTokens ?? factsOf(model).maxAnswerTokens) ? { ...request, maxTokens } : request;
}
