/** What calls cost by the budgets that bind them: what is spent, reserved for calls under way, and kept for last calls. */

import { type LimitReached, type Limits, limitReached } from "../../core/limits/limits.ts";
import { type AgentId, isOver, isWithin, parentOf, withAncestors } from "../../core/model/agent.ts";
import type { AskKind } from "../../core/model/model.ts";
import type { Usage } from "../../core/model/usage.ts";
import { countedTokens, roundDollars } from "../../core/model/usage.ts";
import { branchOf } from "../../core/run/agent-index.ts";
import type { RunState } from "../../core/run/run-state.ts";
import { type Budget, totalsWithin } from "../../core/run/spending.ts";
import type { ModelFacts } from "../../models/provider/model-facts.ts";
import { CACHE_KEPT_MS, type CallTokens, highestCostOf } from "../../models/provider/model-facts.ts";

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

/** The budgets that bind an agent: which agent each was set on, and what has been spent of it. */

/** A budget that binds an agent, with what has been spent of it. `most` and `spent`: dollars or tokens, by the limit. */
export interface BudgetScope {
	/** The agent that the budget was set on. */
	readonly holder: AgentId;
	readonly limit: BudgetLimit;
	readonly most: number;
	readonly spent: number;
}

/** True when a budget, in dollars or tokens, binds the agent. */
export function isBudgeted(run: RunState, id: AgentId): boolean {
	const limits = run.agents[id]?.limits;
	return limits?.maxBudgetUsd !== undefined || limits?.maxTokens !== undefined;
}

export type BudgetLimit = Budget["limit"];

const KEYS = { "max-budget-usd": "maxBudgetUsd", "max-tokens": "maxTokens" } as const satisfies Record<
	BudgetLimit,
	keyof Limits
>;

/** The budgets that bind the agent, that of the highest agent first. A budget that is passed on unchanged is listed once, for the agent it was set on. */
export function budgetScopesOf(run: RunState, id: AgentId): BudgetScope[] {
	return withAncestors(id)
		.toReversed()
		.flatMap((holder) =>
			(["max-budget-usd", "max-tokens"] as const).flatMap((limit) => {
				const most = run.agents[holder]?.limits[KEYS[limit]];
				if (most === undefined || run.agents[parentOf(holder) ?? ""]?.limits[KEYS[limit]] === most) return [];
				return [{ holder, limit, most, spent: spentIn(run, holder, limit) }];
			}),
		);
}

/** What the agent and all below it have spent; an unknown cost or number of tokens counts as infinite. */
function spentIn(run: RunState, holder: AgentId, limit: BudgetLimit): number {
	const { costUsd, usage } = totalsWithin(run, holder);
	return (limit === "max-tokens" ? countedTokens(usage) : costUsd) ?? Number.POSITIVE_INFINITY;
}

/** The highest budget in dollars that binds the agent, in words; undefined when none does. */
export function dollarsBinding(run: RunState, id: AgentId): string | undefined {
	const scope = budgetScopesOf(run, id).find(({ limit }) => limit === "max-budget-usd");
	return scope === undefined ? undefined : named(scope);
}

/** The refusal of a call for which the budget has no room. `call`: what that may cost; `kept`: what is kept for reports of others. */
export function budgetReached(scope: BudgetScope, needed?: { call: number; kept: number }): LimitReached {
	const { limit, most, holder, spent } = scope;
	const kept =
		needed === undefined || needed.kept === 0 ? "" : ` plus ${amount(scope, needed.kept)} reserved for reports`;
	const call = needed && `${amount(scope, needed.call)}${kept}`;
	return limitReached(KEYS[limit], { most, holder, used: amount(scope, spent), call });
}

/** The budget in words: `max-budget-usd 0.2 from agent 1 down`. */
export function named({ limit, most, holder }: BudgetScope): string {
	return `${limit} ${most} from agent ${holder} down`;
}

/** An amount of the budget in words: `1200 tokens`, `$0.0040`. */
export function amount({ limit }: BudgetScope, used: number): string {
	if (limit === "max-tokens") return Number.isFinite(used) ? `${used} tokens` : "an unknown number of tokens";
	return Number.isFinite(used) ? `$${used.toFixed(4)}` : "an unknown cost";
}

/** What a budget has to know of the model with a name. */
export type BudgetedModel = (model: string) => Pick<ModelFacts, "price" | "readsMessages">;

/** The longest answer of a last call. */
export const REPORT_ANSWER_TOKENS = 1_024;
/** The most that a last call adds to the context before it: longer results of commands are cut to it. */
export const REPORT_PROMPT_TOKENS = 2_048;

/** The cost of last calls. `unpriced`: how many of them have no known price, and are not in `usd`. */
interface Cost {
	readonly tokens: number;
	readonly usd: number;
	readonly unpriced: number;
}

const NOTHING: Cost = { tokens: 0, usd: 0, unpriced: 0 };

/**
 * What budgets keep for the last calls, "report what you have", of all agents that have begun. The sums are updated when an
 * agent changes, so that no decision about a call walks all agents.
 */
export class ReportCosts {
	readonly modelFacts: BudgetedModel;
	private readonly own = new Map<AgentId, Cost>();
	private readonly within = new Map<AgentId, Cost>();

	constructor(modelFacts: BudgetedModel) {
		this.modelFacts = modelFacts;
	}

	/** Updates the sums to the agent as it is now. */
	count(run: RunState, id: AgentId, hasReported: boolean): void {
		const agent = run.agents[id];
		const before = this.own.get(id);
		const hasBegun = agent !== undefined && agent.turns > 0 && !isOver(agent) && !hasReported;
		const isKept = hasBegun && withAncestors(id).some((above) => isBudgeted(run, above));
		const now = isKept ? this.costOf(agent.model, agent.contextTokens ?? 0) : undefined;
		if (before === undefined && now === undefined) return;
		if (now === undefined) this.own.delete(id);
		else this.own.set(id, now);
		const change = minus(now ?? NOTHING, before ?? NOTHING);
		for (const above of withAncestors(id)) this.within.set(above, plus(this.within.get(above) ?? NOTHING, change));
	}

	/** What is kept for all agents at and below `holder`, without those of `except`; as if no call were under way. */
	kept(holder: AgentId, limit: BudgetLimit, except: Iterable<AgentId>): number {
		let cost = this.within.get(holder) ?? NOTHING;
		for (const id of except) cost = minus(cost, this.own.get(id) ?? NOTHING);
		if (limit === "max-tokens") return cost.tokens;
		return cost.unpriced > 0 ? Number.POSITIVE_INFINITY : cost.usd;
	}

	private costOf(model: string, contextTokens: number): Cost {
		const { price, readsMessages } = this.modelFacts(model);
		if (!readsMessages) return NOTHING;
		const [prompt, output] = [contextTokens + REPORT_PROMPT_TOKENS, REPORT_ANSWER_TOKENS];
		const usd = highestCostOf(price, { prompt, output });
		return { tokens: prompt + output, usd: usd ?? 0, unpriced: usd === null ? 1 : 0 };
	}
}

function plus(a: Cost, b: Cost): Cost {
	return { tokens: a.tokens + b.tokens, usd: roundDollars(a.usd + b.usd), unpriced: a.unpriced + b.unpriced };
}

function minus(a: Cost, b: Cost): Cost {
	return plus(a, { tokens: -b.tokens, usd: -b.usd, unpriced: -b.unpriced });
}

/**
 * What the service is known to have in its cache of an agent's prompt, going by the usage of the agent's newest answer. The
 * cache may be lost at any time. A call that did not read what was expected is a miss, and nothing is taken for cached after it
 * until a call has read what the one before it wrote. So a service without a working cache costs one miss, not one a call.
 */

/** The beginning of a prompt, which is cached until a time, in milliseconds since the epoch. */
export interface CachedPrefix {
	readonly tokens: number;
	readonly until: number;
}

export interface PromptCache extends CachedPrefix {
	/** The newest call read less than was expected. */
	readonly isMissed: boolean;
}

const MARGIN_MS = 15_000; // a call waits for its turn at the service, and clocks differ
const HIT_SHARE = 0.9; // of what was expected

/** The cache after an answer. `startedAt`: when its call started, since a long answer does not prolong what its prompt keeps. */
export function cacheAfter(before: PromptCache | undefined, usage: Usage, startedAt: number): PromptCache {
	const expected = before !== undefined && startedAt < before.until ? before.tokens : 0;
	return {
		tokens: usage.cacheRead + usage.cacheWrite,
		until: startedAt + CACHE_KEPT_MS - MARGIN_MS,
		isMissed: usage.cacheRead < HIT_SHARE * expected,
	};
}

/** True when the service was seen to cache the agent's prompts, although they may have expired since. */
export function isProven(cache: PromptCache | undefined): boolean {
	return cache !== undefined && !cache.isMissed && cache.tokens > 0;
}

/** What a call that starts now will read from the cache; undefined when nothing is known to be there. */
export function prefixCachedAt(cache: PromptCache | undefined, now: number): CachedPrefix | undefined {
	if (cache === undefined || !isProven(cache) || now >= cache.until) return undefined;
	return { tokens: cache.tokens, until: cache.until };
}
