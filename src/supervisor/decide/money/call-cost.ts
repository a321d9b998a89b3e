/** What calls cost by the budgets that bind them: what is spent, reserved for calls under way, and kept for last calls. */
import { type AgentId, isOver, isWithin, withAncestors } from "../../../core/model/agent.ts";
import type { AskKind } from "../../../core/model/model.ts";
import { branchOf } from "../../../core/run/agent-index.ts";
import type { RunState } from "../../../core/run/run-state.ts";
import { type CallTokens, highestCostOf } from "../../../models/provider/model-facts.ts";
import type { BudgetScope } from "./budget-scope.ts";
import type { CachedPrefix } from "./prompt-cache.ts";
import { REPORT_ANSWER_TOKENS, REPORT_PROMPT_TOKENS, type ReportCosts } from "./report-costs.ts";

/** The most tokens that a call may use, set aside in every budget above its agent. */
export interface Reservation {
	readonly agent: AgentId;
	readonly promptTokens: number;
	readonly maxTokens: number;
	/** No room is kept for the last call of its agent, since this is the agent's first call. */
	readonly isWithoutReport?: true;
	/** What of the prompt is read from the cache; absent: nothing is known to be there. */
	readonly cached?: CachedPrefix;
	/** The call was made although it may exceed a budget, as fitToBudget allows an agent that is alone in one. */
	readonly mayExceed?: true;
}

/** A call that an agent wants to make; its `maxTokens` may still be lowered. */
export interface WantedCall extends Reservation {
	readonly model: string;
	readonly kind: AskKind;
	/** The length to which the prompt can be cut; absent: it cannot be cut. */
	readonly leastPromptTokens?: number;
	/** The agent has done nothing yet, so this call is worth more than a report. */
	readonly isFirst?: boolean;
	/** What the call uses if it is like the ones before it; absent: nothing is known of them. */
	readonly usual?: { readonly promptTokens: number; readonly answerTokens: number };
	/** The service was seen to cache the agent's prompts. */
	readonly isCacheProven?: boolean;
	/** What a last call would read from the cache if it did not forbid tools; absent: nothing, or it was tried in vain. */
	readonly cachedWithTools?: CachedPrefix;
}

/** A way to make a call. */
export interface Plan extends WantedCall {
	/** Room is kept for the last call of the agent itself. */
	readonly keepsReport: boolean;
	/** Room is also kept for the last calls of other agents that have begun. It always is for those of agents above it. */
	readonly keepsOthers: boolean;
}

/** What budgets are decided from. */
export interface BudgetState {
	readonly run: RunState;
	/** Calls of other agents that are not settled yet. */
	readonly underWay: readonly Reservation[];
	/** Agents that have made their last call. */
	readonly reported: ReadonlySet<AgentId>;
	/** The costs of the last calls in the same run. */
	readonly reports: ReportCosts;
}

/** How much the budget lacks for this call; negative when it has room. */
export function shortOf(scope: BudgetScope, plan: Plan, state: BudgetState): number {
	return ownCost(scope, plan, state) + heldByOthers(scope, plan, state) - scope.most;
}

/** The cost of the call, and of its agent's last call after it. */
export function ownCost(scope: BudgetScope, plan: Plan, state: BudgetState): number {
	const { promptTokens: prompt, maxTokens: output, cached } = plan;
	const tokens = { prompt, output, cached: cached?.tokens ?? 0 };
	return costIn(scope, plan.model, tokens, state) + ownReportCost(scope, plan, state);
}

/** What the call costs if it is like the ones before it; infinite when nothing is known of them. */
export function usualCost(scope: BudgetScope, { model, usual, cached }: WantedCall, state: BudgetState): number {
	if (usual === undefined) return Number.POSITIVE_INFINITY;
	const tokens = { prompt: usual.promptTokens, output: usual.answerTokens, cached: cached?.tokens ?? 0 };
	return costIn(scope, model, tokens, state);
}

/** What is spent, reserved for calls under way, and kept for the last calls of others. It does not depend on the call's size. */
export function heldByOthers(scope: BudgetScope, plan: Plan, state: BudgetState): number {
	const reserved = state.underWay
		.filter(({ agent }) => isWithin(agent, scope.holder))
		.reduce((sum, call) => sum + callCost(scope, call, state), 0);
	return keptForOthers(scope, plan, state) + reserved + scope.spent;
}

function callCost(scope: BudgetScope, call: Reservation, state: BudgetState): number {
	const { agent, promptTokens: prompt, maxTokens: output } = call;
	const tokens = { prompt, output, cached: prefixAtNextTry(call, state.run)?.tokens ?? 0 };
	return costIn(scope, modelOf(state.run, agent), tokens, state);
}

/** What the call finds in the cache; when it waits for a retry, what is left there by then. */
export function prefixAtNextTry({ agent, cached }: Reservation, run: RunState): CachedPrefix | undefined {
	const turn = run.agents[agent]?.state;
	const nextAt = turn?.is === "thinking" ? turn.retry?.nextAt : undefined;
	return cached !== undefined && nextAt !== undefined && nextAt >= cached.until ? undefined : cached;
}

/** What an answer of the usual length costs, without the prompt. */
export function usualAnswerCost(scope: BudgetScope, { model, usual }: WantedCall, state: BudgetState): number {
	return usual === undefined
		? Number.POSITIVE_INFINITY
		: costIn(scope, model, { prompt: 0, output: usual.answerTokens }, state);
}

/**
 * What is kept for the agent's own last call. While it is alone in the budget, what its prompt has in the cache is not kept a
 * second time at the price of a write: that this is written anew is the one cache miss by which a budget may be exceeded.
 */
export function ownReportCost(scope: BudgetScope, plan: Plan, state: BudgetState): number {
	if (!plan.keepsReport) return 0;
	const contextTokens = plan.promptTokens + plan.maxTokens;
	const cached = plan.cached !== undefined && isAlone(scope, plan.agent, state) ? plan.promptTokens : 0;
	return reportCost(scope, plan.model, { contextTokens, cached }, state);
}

/** True when no other living agent draws on the budget. */
export function isAlone({ holder }: BudgetScope, agent: AgentId, { run }: BudgetState): boolean {
	return branchOf(run.agents, holder).living === 1 && isWithin(agent, holder);
}

/** What is kept for the last calls of other agents: one by one for agents above it and those with a call under way, as a known sum for all others. */
export function keptForOthers(scope: BudgetScope, plan: Plan, state: BudgetState): number {
	const { run, reported, underWay, reports } = state;
	const line = withAncestors(plan.agent).filter((id) => isWithin(id, scope.holder));
	const calling = underWay.map(({ agent }) => agent).filter((id) => isWithin(id, scope.holder));
	const looked = new Set([...line, ...calling]);
	let kept = plan.keepsOthers ? reports.kept(scope.holder, scope.limit, looked) : 0;
	for (const id of looked) {
		const agent = run.agents[id];
		if (id === plan.agent || agent === undefined || isOver(agent) || reported.has(id)) continue;
		const hasBegun = agent.turns > 0 && !underWay.some((call) => call.agent === id && call.isWithoutReport);
		if (line.includes(id) || (plan.keepsOthers && hasBegun))
			kept += reportCost(scope, agent.model, { contextTokens: contextAtMost(id, state) }, state);
	}
	return kept;
}

function reportCost(
	scope: BudgetScope,
	model: string,
	{ contextTokens, cached = 0 }: { contextTokens: number; cached?: number },
	state: BudgetState,
): number {
	const prompt = contextTokens + REPORT_PROMPT_TOKENS;
	return costIn(scope, model, { prompt, output: REPORT_ANSWER_TOKENS, cached }, state);
}

/** The largest context that another agent can have: after its newest answer, or after the answer under way. */
function contextAtMost(id: AgentId, { run, underWay }: BudgetState): number {
	const call = underWay.find(({ agent }) => agent === id);
	return call === undefined ? (run.agents[id]?.contextTokens ?? 0) : call.promptTokens + call.maxTokens;
}

function costIn({ limit }: BudgetScope, model: string, tokens: CallTokens, { reports }: BudgetState): number {
	const { price, readsMessages } = reports.modelFacts(model);
	if (!readsMessages) return 0;
	if (limit === "max-tokens") return tokens.prompt + tokens.output;
	return highestCostOf(price, tokens) ?? Number.POSITIVE_INFINITY;
}

export function modelOf(run: RunState, id: AgentId): string {
	return run.agents[id]?.model ?? run.model;
}
