/**
 * Budgets are reserved before a call and settled after it. The most that a call may use is reserved in every budget above
 * it while the call is under way, so agents that start together cannot overspend together. Each call leaves room for one
 * last call, "report what you have", of its own agent, of every agent above it and of all others that have begun. What is
 * known to be cached of a call's prompt is reserved at the price of a read. A report is priced as if nothing were cached, since
 * a call without tools finds no message in the cache. The bound of an answer is lowered to what fits. A call for which too
 * little is left waits for the calls under way, which mostly use less than they reserve; it is refused only when their end
 * would not help either.
 *
 * An agent that is alone in a budget in dollars, and whose prompts are seen to be cached, may come nearer to its end: it goes
 * on while less than nine tenths are used. Its report is asked for in a call that does not forbid tools, which finds its
 * prompt in the cache. Only when a tool is asked for instead is it asked for once more, without tools: that call may exceed
 * the budget by what it writes anew, by one cache miss.
 */

import { defined } from "../../core/defined.ts";
import type { LimitReached } from "../../core/limits/limits.ts";
import { type AgentId, ROOT } from "../../core/model/agent.ts";
import { BUDGET_NOTICE_SHARE } from "../../core/run/spending.ts";
import { factsOf, type PricedModel } from "../../models/catalogue.ts";
import type { PromptCache } from "./call-cost.ts";
import {
	amount,
	type BudgetScope,
	type BudgetState,
	budgetReached,
	budgetScopesOf,
	heldByOthers,
	isAlone,
	keptForOthers,
	modelOf,
	named,
	ownCost,
	ownReportCost,
	type Plan,
	prefixAtNextTry,
	REPORT_ANSWER_TOKENS,
	ReportCosts,
	type Reservation,
	shortOf,
	usualAnswerCost,
	usualCost,
	type WantedCall,
} from "./call-cost.ts";
import type { Counted } from "./prompt-estimate.ts";

export type { BudgetState, Reservation, WantedCall };

export type BudgetVerdict =
	/** The call may be made, with no more than these tokens. */
	FittingCall | { readonly is: "waits"; readonly reason: string } | ({ readonly is: "refused" } & LimitReached);

interface FittingCall extends Omit<Reservation, "agent"> {
	readonly is: "fits";
	/** The last call does not forbid tools, so that it finds its prompt in the cache. */
	readonly allowsTools?: true;
}

export const LEAST_ANSWER_TOKENS = 1_024; // a shorter answer is cut in the middle of a thought
const LEAST_FIRST_TOKENS = 256; // of the one call that a very small budget can pay
const GOOD_ANSWER_TOKENS = 8_192; // a call waits for as much, while other calls reserve what they will not use
const LEAST_NEXT_TOKENS = 4_096; // what a command with much output adds to the context
const USED_SHARE = 0.9; // of a budget in dollars: so much is used before an agent that is alone in it is told to report
const ROUNDING = 1e-9; // dollars; the same numbers give another sum in another order

/** Whether every budget above the agent has room for the call, and for how long an answer. */
export function fitToBudget(wanted: WantedCall, state: BudgetState): BudgetVerdict {
	const scopes = budgetScopesOf(state.run, wanted.agent);
	const good = Math.min(wanted.maxTokens, wanted.kind === "last" ? REPORT_ANSWER_TOKENS : GOOD_ANSWER_TOKENS);
	for (const plan of plansOf(wanted)) {
		const least = smallestOf(plan).maxTokens;
		const now = largestAnswer(plan, scopes, state);
		if (now >= good) return fits(plan, now);
		const settled = largestAnswer(plan, scopes, { ...state, underWay: [] });
		if (settled > now && settled >= least) return waits(tightest(plan, scopes, state));
		if (now >= least) return fits(plan, now);
	}
	return nearEnd(wanted, scopes, state) ?? refused(wanted, scopes, { ...state, underWay: [] });
}

function refused(wanted: WantedCall, scopes: readonly BudgetScope[], state: BudgetState): BudgetVerdict {
	const plan = { ...wanted, keepsReport: false, keepsOthers: true };
	const scope = tightest(plan, scopes, state);
	const smallest = smallestOf(plan);
	const needed = { call: ownCost(scope, smallest, state), kept: keptForOthers(scope, smallest, state) };
	return { is: "refused", ...budgetReached(scope, needed) };
}

function fits({ promptTokens, keepsReport, kind, cached }: Plan, maxTokens: number): FittingCall {
	const isWithoutReport = !keepsReport && kind !== "last";
	return { is: "fits", promptTokens, maxTokens, ...(isWithoutReport && { isWithoutReport }), ...defined({ cached }) };
}

/** The call as it may be made although a budget may be exceeded by it; undefined when it may not. */
function nearEnd(wanted: WantedCall, scopes: readonly BudgetScope[], state: BudgetState): FittingCall | undefined {
	const { kind, promptTokens, leastPromptTokens = promptTokens, cachedWithTools: cached } = wanted;
	if (kind === "compaction") return undefined;
	const keepsReport = kind !== "last";
	const maxTokens = Math.min(wanted.maxTokens, kind === "last" ? REPORT_ANSWER_TOKENS : LEAST_ANSWER_TOKENS);
	const plan = { ...wanted, promptTokens: leastPromptTokens, maxTokens, keepsReport, keepsOthers: keepsReport };
	const mayBeMade = (made: Plan) =>
		scopes.every((scope) => shortOf(scope, made, state) <= 0 || mayExceed(scope, made, state));
	const fitting = (made: Plan) => ({ ...fits({ ...made, keepsReport: false }, maxTokens), mayExceed: true }) as const;
	const withTools = { ...plan, ...defined({ cached }) };
	if (cached !== undefined && mayBeMade(withTools)) return { ...fitting(withTools), allowsTools: true };
	return mayBeMade(plan) ? fitting(plan) : undefined;
}

/** Whether the call of an agent that is alone in the budget may be made although not all that it may cost is left. */
function mayExceed(scope: BudgetScope, plan: Plan, state: BudgetState): boolean {
	const isNear = scope.limit === "max-budget-usd" && plan.isCacheProven && isAlone(scope, plan.agent, state);
	if (!isNear) return false;
	const held = heldByOthers(scope, plan, state);
	if (plan.kind === "last") return held + usualAnswerCost(scope, plan, state) <= scope.most;
	return held < USED_SHARE * scope.most && held + usualCost(scope, plan, state) <= scope.most;
}

/** The ways to make the call, the best first. When a budget has too little for all last calls, the one that is asked for first is made. */
function plansOf(wanted: WantedCall): Plan[] {
	const { kind, isFirst, promptTokens, leastPromptTokens = promptTokens } = wanted;
	const plan = { ...wanted, keepsReport: kind !== "last", keepsOthers: true };
	if (isFirst) return [plan, { ...plan, keepsReport: false }];
	const plans = leastPromptTokens < promptTokens ? [plan, { ...plan, promptTokens: leastPromptTokens }] : [plan];
	return kind === "last" ? [...plans, ...plans.map((other) => ({ ...other, keepsOthers: false }))] : plans;
}

/** The longest answer that fits, in tokens; 0 when the shortest useful one does not. Found by bisection: cost grows with length. */
function largestAnswer(plan: Plan, scopes: readonly BudgetScope[], state: BudgetState): number {
	const held = scopes.map((scope) => ({ scope, others: heldByOthers(scope, plan, state) }));
	const fits = (maxTokens: number) =>
		held.every(({ scope, others }) => ownCost(scope, { ...plan, maxTokens }, state) + others <= scope.most);
	if (fits(plan.maxTokens)) return plan.maxTokens;
	let [fitting, tooLarge] = [smallestOf(plan).maxTokens, plan.maxTokens];
	if (!fits(fitting)) return 0;
	while (tooLarge - fitting > 1) {
		const middle = Math.floor((fitting + tooLarge) / 2);
		if (fits(middle)) fitting = middle;
		else tooLarge = middle;
	}
	return fitting;
}

/** The call with the shortest answer that is of use. Of the root's first call that is shorter: it may be all that its budget can pay. */
function smallestOf(plan: Plan): Plan {
	const isOnly = plan.isFirst && !plan.keepsReport && plan.agent === ROOT;
	const least = isOnly ? LEAST_FIRST_TOKENS : LEAST_ANSWER_TOKENS;
	return { ...plan, maxTokens: Math.min(plan.maxTokens, least) };
}

/** The budget that lacks the greatest share of itself for the smallest useful call. */
function tightest(wanted: Plan, scopes: readonly BudgetScope[], state: BudgetState): BudgetScope {
	const smallest = smallestOf(wanted);
	const lack = (scope: BudgetScope) => shortOf(scope, smallest, state) / scope.most;
	return scopes.reduce((tight, scope) => (lack(scope) > lack(tight) ? scope : tight));
}

function waits(scope: BudgetScope): BudgetVerdict {
	return { is: "waits", reason: `${named(scope)} is reserved for running calls` };
}

/**
 * Agents that wait to retry a call for which a budget has no room any more: earlier attempts have used tokens, and a retry
 * may not use what is kept for reports.
 */
export function overdrawnCalls(state: BudgetState): { agent: AgentId; reached: LimitReached }[] {
	const { run, underWay, reported } = state;
	return underWay.flatMap((call) => {
		const { agent, isWithoutReport = false, mayExceed = false } = call;
		const turn = run.agents[agent]?.state;
		if (turn?.is !== "thinking" || turn.retry === undefined) return [];
		const isLast = reported.has(agent);
		const kept = { keepsReport: !isLast && !isWithoutReport, keepsOthers: !isLast };
		const { cached: _, ...uncached } = call;
		const asked = { ...uncached, ...defined({ cached: prefixAtNextTry(call, run) }) };
		const plan: Plan = { ...asked, ...kept, model: modelOf(run, agent), kind: isLast ? "last" : "turn" };
		const others = { ...state, underWay: underWay.filter((other) => other !== call) };
		const lack = (scope: BudgetScope) => (mayExceed ? scope.spent - scope.most : shortOf(scope, plan, others));
		const scope = budgetScopesOf(run, agent).find((other) => lack(other) > ROUNDING);
		return scope === undefined ? [] : [{ agent, reached: budgetReached(scope) }];
	});
}

/**
 * A notice for each budget of which most is used, or that may have no room for the agent's next call. `key` identifies the
 * notice, `reason` is its text. What is kept for reports of the agent and those above it counts as used, since none of
 * them can spend it otherwise. `added`: the tokens that the agent's newest call added to the prompt; the next call is
 * assumed to add as many.
 */
export function budgetNotices(
	state: BudgetState,
	id: AgentId,
	{ added, ...known }: { added: number } & Pick<WantedCall, "cached" | "usual" | "isCacheProven">,
): { key: string; reason: string }[] {
	const { run } = state;
	const promptTokens = run.agents[id]?.contextTokens ?? 0;
	const call = { agent: id, model: modelOf(run, id), kind: "turn", keepsReport: true, ...known } as const;
	const answered: Plan = { ...call, promptTokens, maxTokens: 0, keepsOthers: false };
	const next: Plan = {
		...{ ...call, keepsOthers: true },
		...{ promptTokens: promptTokens + Math.max(LEAST_NEXT_TOKENS, added), maxTokens: LEAST_ANSWER_TOKENS },
	};
	return budgetScopesOf(run, id).flatMap((scope) => {
		const gone = scope.spent + ownReportCost(scope, answered, state) + keptForOthers(scope, answered, state);
		const settled = { ...state, underWay: [] };
		const mayNotFit = shortOf(scope, next, settled) > 0 && !mayExceed(scope, next, settled);
		if (gone < BUDGET_NOTICE_SHARE * scope.most && !mayNotFit) return [];
		const share = `${amount(scope, Math.min(gone, scope.most))} of the budget (${named(scope)})`;
		const end = mayNotFit ? "; the next call may not fit" : "";
		return [
			{
				key: `${id} ${scope.holder} ${scope.limit} ${scope.most}`,
				reason: `${share} is spent or reserved for last reports${end}`,
			},
		];
	});
}

/** What the supervisor remembers about budgets and costs beside the run's state. */

/** What the service counted for an agent, and what it has of its prompt in the cache. */
export interface Answered extends Counted {
	readonly tokens: number;
	/** How often its history had been compacted. */
	readonly compactions: number;
	/** Of the messages that the tokens were counted of; absent where no budget binds the agent. */
	readonly digest?: string;
	/** How many tokens the newest call was estimated to add to the prompt before it. */
	readonly added: number;
	/** The tokens of its longest answer. */
	readonly longestAnswer: number;
	readonly cache: PromptCache;
}

export interface Ledger {
	/** The user's own prices. */
	readonly prices: readonly PricedModel[];
	/** For each agent: what is known of its calls, up to its newest answer. */
	readonly answered: Map<AgentId, Answered>;
	/** Agents whose call a budget refused; each may make one last call. */
	readonly refused: Map<AgentId, LimitReached>;
	/** Agents that asked for a tool in a last call that did not forbid tools; their next one does. */
	readonly unreported: Set<AgentId>;
	/** Keys of the notices that agents were given about their budgets. */
	readonly noticed: Set<string>;
	/** What agents are to be told of their limits with their next answer. */
	readonly toTell: Map<AgentId, readonly string[]>;
	/** What is reserved for cancelled calls that have not been charged yet. */
	readonly unsettled: Reservation[];
	/** What budgets keep for the last calls of all agents that have begun. */
	readonly reports: ReportCosts;
}

export function newLedger(prices: readonly PricedModel[] = []): Ledger {
	const reports = new ReportCosts((model) => factsOf(model, prices));
	return {
		...{ prices, reports, answered: new Map(), refused: new Map() },
		...{ unreported: new Set(), noticed: new Set(), toTell: new Map(), unsettled: [] },
	};
}
