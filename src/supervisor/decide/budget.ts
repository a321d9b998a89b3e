/**
 * Budgets are reserved before a call and settled after it. What a call may use at most is set aside for as long as it
 * is under way, in every budget above it, so agents that start together cannot overspend together. Each call leaves
 * room for one last call, "report what you have", of its own agent, of every agent above it and of the others that have
 * begun: at the price of a prompt that is written anew, since a call without tools finds no message in the cache. An
 * answer's bound is lowered to what fits; when too little is left for a call it waits for those under way, whose part is
 * mostly too large, and is refused only when their end would not help either.
 */
import { type AgentId, isOver, isWithin, withAncestors } from "../../core/agent.ts";
import type { LimitReached } from "../../core/limits.ts";
import type { AskKind } from "../../core/model.ts";
import type { RunState } from "../../core/run-state.ts";
import { highestCostOf } from "../../models/provider/price.ts";
import { amount, type BudgetScope, budgetReached, budgetScopesOf, named } from "./budget-scope.ts";
import { REPORT_ANSWER_TOKENS, REPORT_PROMPT_TOKENS, type ReportCosts } from "./report-costs.ts";

/** A call's tokens at most. */
export interface PlannedCall {
	readonly agent: AgentId;
	readonly promptTokens: number;
	readonly maxTokens: number;
	/** No room is kept for its agent's last call: it is the first one. */
	readonly isWithoutReport?: true;
}

export interface Wish extends PlannedCall {
	readonly model: string;
	readonly kind: AskKind;
	/** How short the prompt can be made, if at all. */
	readonly leastPromptTokens?: number;
	/** The agent has done nothing yet: rather a call than a report of nothing. */
	readonly isFirst?: boolean;
}

export interface BudgetFacts {
	readonly run: RunState;
	/** Calls that are not settled yet, of other agents. */
	readonly underWay: readonly PlannedCall[];
	/** Agents that have made their last call. */
	readonly reported: ReadonlySet<AgentId>;
	/** Of the same run. */
	readonly reports: ReportCosts;
}

export type Verdict =
	/** With no more than this. */
	| ({ readonly is: "fits" } & Omit<PlannedCall, "agent">)
	| { readonly is: "waits"; readonly reason: string }
	| ({ readonly is: "refused" } & LimitReached);

export const LEAST_ANSWER_TOKENS = 1_024; // less is cut in the middle of a thought
const GOOD_ANSWER_TOKENS = 8_192; // worth waiting for while others hold what they will not use
const NOTICE_SHARE = 0.8;
const LEAST_NEXT_TOKENS = 4_096; // what a command that prints much adds to the context
const ROUNDING = 1e-9; // dollars; sums of the same numbers in another order

export function weigh(wish: Wish, facts: BudgetFacts): Verdict {
	const scopes = budgetScopesOf(facts.run, wish.agent);
	const good = Math.min(wish.maxTokens, wish.kind === "last" ? REPORT_ANSWER_TOKENS : GOOD_ANSWER_TOKENS);
	const least = Math.min(wish.maxTokens, LEAST_ANSWER_TOKENS);
	for (const inPlan of plansOf(wish)) {
		const now = largestAnswer(inPlan, scopes, facts);
		if (now >= good) return fits(inPlan, now);
		const settled = largestAnswer(inPlan, scopes, { ...facts, underWay: [] });
		if (settled > now && settled >= least) return waits(tightest(inPlan, scopes, facts));
		if (now >= least) return fits(inPlan, now);
	}
	return {
		is: "refused",
		...budgetReached(tightest({ ...wish, keepsReport: false, keepsOthers: true }, scopes, { ...facts, underWay: [] })),
	};
}

function fits({ promptTokens, keepsReport, kind }: Plan, maxTokens: number): Verdict {
	const isWithoutReport = !keepsReport && kind !== "last";
	return { is: "fits", promptTokens, maxTokens, ...(isWithoutReport && { isWithoutReport }) };
}

interface Plan extends Wish {
	/** Room is kept for the agent's own last call. */
	readonly keepsReport: boolean;
	/** And for those of others that have begun; for those of agents above it always is. */
	readonly keepsOthers: boolean;
}

/** The best first. A last call is made before those of others are when there is not enough for all. */
function plansOf(wish: Wish): Plan[] {
	const { kind, isFirst, promptTokens, leastPromptTokens = promptTokens } = wish;
	const plan = { ...wish, keepsReport: kind !== "last", keepsOthers: true };
	if (isFirst) return [plan, { ...plan, keepsReport: false }];
	const plans = leastPromptTokens < promptTokens ? [plan, { ...plan, promptTokens: leastPromptTokens }] : [plan];
	return kind === "last" ? [...plans, ...plans.map((other) => ({ ...other, keepsOthers: false }))] : plans;
}

/** 0 when the smallest useful answer does not fit. What is needed grows with the answer, so halving finds it. */
function largestAnswer(plan: Plan, scopes: readonly BudgetScope[], facts: BudgetFacts): number {
	const held = scopes.map((scope) => ({ scope, others: heldByOthers(scope, plan, facts) }));
	const fits = (maxTokens: number) =>
		held.every(({ scope, others }) => ownCost(scope, { ...plan, maxTokens }, facts) + others <= scope.most);
	if (fits(plan.maxTokens)) return plan.maxTokens;
	let [fitting, tooLarge] = [Math.min(plan.maxTokens, LEAST_ANSWER_TOKENS), plan.maxTokens];
	if (!fits(fitting)) return 0;
	while (tooLarge - fitting > 1) {
		const middle = Math.floor((fitting + tooLarge) / 2);
		if (fits(middle)) fitting = middle;
		else tooLarge = middle;
	}
	return fitting;
}

/** How much the budget lacks for this call; less than 0 when it is enough. */
function shortOf(scope: BudgetScope, plan: Plan, facts: BudgetFacts): number {
	return ownCost(scope, plan, facts) + heldByOthers(scope, plan, facts) - scope.most;
}

/** Of the call, and of its agent's own last one after it. */
function ownCost(scope: BudgetScope, plan: Plan, facts: BudgetFacts): number {
	const { promptTokens: prompt, maxTokens: output } = plan;
	return costIn(scope, plan.model, { prompt, output }, facts) + ownReportCost(scope, plan, facts);
}

/** Spent, set aside for calls under way, and kept for the last calls of others; however large the call is. */
function heldByOthers(scope: BudgetScope, plan: Plan, facts: BudgetFacts): number {
	const reserved = facts.underWay
		.filter(({ agent }) => isWithin(agent, scope.holder))
		.reduce((sum, call) => sum + callCost(scope, call, facts), 0);
	return keptForOthers(scope, plan, facts) + reserved + scope.spent;
}

function callCost(
	scope: BudgetScope,
	{ agent, promptTokens: prompt, maxTokens: output }: PlannedCall,
	facts: BudgetFacts,
) {
	return costIn(scope, modelOf(facts.run, agent), { prompt, output }, facts);
}

function ownReportCost(scope: BudgetScope, plan: Plan, facts: BudgetFacts): number {
	return plan.keepsReport ? reportCost(scope, plan.model, plan.promptTokens + plan.maxTokens, facts) : 0;
}

/** Agents above it and those with a call under way are looked at one by one; of all others the sum is known. */
function keptForOthers(scope: BudgetScope, plan: Plan, facts: BudgetFacts): number {
	const { run, reported, underWay, reports } = facts;
	const line = withAncestors(plan.agent).filter((id) => isWithin(id, scope.holder));
	const calling = underWay.map(({ agent }) => agent).filter((id) => isWithin(id, scope.holder));
	const looked = new Set([...line, ...calling]);
	let kept = plan.keepsOthers ? reports.kept(scope.holder, scope.limit, looked) : 0;
	for (const id of looked) {
		const agent = run.agents[id];
		if (id === plan.agent || agent === undefined || isOver(agent) || reported.has(id)) continue;
		const hasBegun = agent.turns > 0 && !underWay.some((call) => call.agent === id && call.isWithoutReport);
		if (line.includes(id) || (plan.keepsOthers && hasBegun))
			kept += reportCost(scope, agent.model, contextAtMost(id, facts), facts);
	}
	return kept;
}

function reportCost(scope: BudgetScope, model: string, contextTokens: number, facts: BudgetFacts): number {
	return costIn(scope, model, { prompt: contextTokens + REPORT_PROMPT_TOKENS, output: REPORT_ANSWER_TOKENS }, facts);
}

/** Of another agent: after its newest answer, or after the one that is under way. */
function contextAtMost(id: AgentId, { run, underWay }: BudgetFacts): number {
	const call = underWay.find(({ agent }) => agent === id);
	return call === undefined ? (run.agents[id]?.contextTokens ?? 0) : call.promptTokens + call.maxTokens;
}

function costIn(
	{ limit }: BudgetScope,
	model: string,
	tokens: { prompt: number; output: number },
	{ reports }: BudgetFacts,
): number {
	const { price, readsMessages } = reports.modelFacts(model);
	if (!readsMessages) return 0;
	if (limit === "max-tokens") return tokens.prompt + tokens.output;
	return highestCostOf(price, tokens) ?? Number.POSITIVE_INFINITY;
}

function modelOf(run: RunState, id: AgentId): string {
	return run.agents[id]?.model ?? run.model;
}

/** The budget that the smallest call would exceed by the greatest part of it. */
function tightest(wish: Plan, scopes: readonly BudgetScope[], facts: BudgetFacts): BudgetScope {
	const smallest = { ...wish, maxTokens: Math.min(wish.maxTokens, LEAST_ANSWER_TOKENS) };
	const lack = (scope: BudgetScope) => shortOf(scope, smallest, facts) / scope.most;
	return scopes.reduce((tight, scope) => (lack(scope) > lack(tight) ? scope : tight));
}

function waits(scope: BudgetScope): Verdict {
	return { is: "waits", reason: `${named(scope)} is set aside for calls under way` };
}

/**
 * Agents whose call broke and whose next try is no longer covered: what the tries before it used is spent, and what is
 * kept for reports is not for tries.
 */
export function overdrawnCalls(facts: BudgetFacts): { agent: AgentId; reached: LimitReached }[] {
	const { run, underWay, reported } = facts;
	return underWay.flatMap((call) => {
		const { agent, isWithoutReport = false } = call;
		const state = run.agents[agent]?.state;
		if (state?.is !== "thinking" || state.retry === undefined) return [];
		const isLast = reported.has(agent);
		const kept = { keepsReport: !isLast && !isWithoutReport, keepsOthers: !isLast };
		const plan: Plan = { ...call, ...kept, model: modelOf(run, agent), kind: isLast ? "last" : "turn" };
		const others = { ...facts, underWay: underWay.filter((other) => other !== call) };
		const scope = budgetScopesOf(run, agent).find((other) => shortOf(other, plan, others) > ROUNDING);
		return scope === undefined ? [] : [{ agent, reached: budgetReached(scope) }];
	});
}

/**
 * Budgets of which most is gone for the agent, or that may have no room for its next call: a key for each, and what to
 * tell. What is kept for the reports of the agent and those above it is gone, too: none of them can spend it otherwise.
 * `added`: tokens by which its newest call had made the prompt longer; the next one is taken for as long.
 */
export function budgetNotices(facts: BudgetFacts, id: AgentId, added: number): { key: string; reason: string }[] {
	const { run } = facts;
	const promptTokens = run.agents[id]?.contextTokens ?? 0;
	const call = { agent: id, model: modelOf(run, id), kind: "turn", keepsReport: true } as const;
	const answered: Plan = { ...call, promptTokens, maxTokens: 0, keepsOthers: false };
	const next: Plan = {
		...{ ...call, keepsOthers: true },
		...{ promptTokens: promptTokens + Math.max(LEAST_NEXT_TOKENS, added), maxTokens: LEAST_ANSWER_TOKENS },
	};
	return budgetScopesOf(run, id).flatMap((scope) => {
		const gone = scope.spent + ownReportCost(scope, answered, facts) + keptForOthers(scope, answered, facts);
		const mayNotFit = shortOf(scope, next, { ...facts, underWay: [] }) > 0;
		if (gone < NOTICE_SHARE * scope.most && !mayNotFit) return [];
		const share = `${amount(scope, Math.min(gone, scope.most))} of the budget (${named(scope)})`;
		const end = mayNotFit ? "; the next call may not fit" : "";
		return [
			{
				key: `${id} ${scope.holder} ${scope.limit} ${scope.most}`,
				reason: `${share} is spent or set aside for last reports${end}`,
			},
		];
	});
}
