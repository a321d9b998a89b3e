/**
 * Budgets are reserved before a call and settled after it. The most that a call may use is reserved in every budget above
 * it while the call is under way, so agents that start together cannot overspend together. Each call leaves room for one
 * last call, "report what you have", of its own agent, of every agent above it and of all others that have begun. Such a
 * report is priced as if no part of its prompt were cached, since a call without tools finds no message in the cache. The
 * bound of an answer is lowered to what fits. A call for which too little is left waits for the calls under way, which
 * mostly use less than they reserve; it is refused only when their end would not help either.
 */
import { type AgentId, isOver, isWithin, withAncestors } from "../../core/agent.ts";
import type { LimitReached } from "../../core/limits.ts";
import type { AskKind } from "../../core/model.ts";
import type { RunState } from "../../core/run-state.ts";
import { BUDGET_NOTICE_SHARE } from "../../core/spending.ts";
import { highestCostOf } from "../../models/provider/price.ts";
import { amount, type BudgetScope, budgetReached, budgetScopesOf, named } from "./budget-scope.ts";
import { REPORT_ANSWER_TOKENS, REPORT_PROMPT_TOKENS, type ReportCosts } from "./report-costs.ts";

/** The most tokens that a call may use, set aside in every budget above its agent. */
export interface Reservation {
	readonly agent: AgentId;
	readonly promptTokens: number;
	readonly maxTokens: number;
	/** No room is kept for the last call of its agent, since this is the agent's first call. */
	readonly isWithoutReport?: true;
}

/** A call that an agent wants to make; its `maxTokens` may still be lowered. */
export interface WantedCall extends Reservation {
	readonly model: string;
	readonly kind: AskKind;
	/** The length to which the prompt can be cut; absent: it cannot be cut. */
	readonly leastPromptTokens?: number;
	/** The agent has done nothing yet, so this call is worth more than a report. */
	readonly isFirst?: boolean;
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

export type BudgetVerdict =
	/** The call may be made, with no more than these tokens. */
	| ({ readonly is: "fits" } & Omit<Reservation, "agent">)
	| { readonly is: "waits"; readonly reason: string }
	| ({ readonly is: "refused" } & LimitReached);

export const LEAST_ANSWER_TOKENS = 1_024; // a shorter answer is cut in the middle of a thought
const GOOD_ANSWER_TOKENS = 8_192; // a call waits for as much, while other calls reserve what they will not use
const LEAST_NEXT_TOKENS = 4_096; // what a command with much output adds to the context
const ROUNDING = 1e-9; // dollars; the same numbers give another sum in another order

/** Whether every budget above the agent has room for the call, and for how long an answer. */
export function fitToBudget(wanted: WantedCall, state: BudgetState): BudgetVerdict {
	const scopes = budgetScopesOf(state.run, wanted.agent);
	const good = Math.min(wanted.maxTokens, wanted.kind === "last" ? REPORT_ANSWER_TOKENS : GOOD_ANSWER_TOKENS);
	const least = Math.min(wanted.maxTokens, LEAST_ANSWER_TOKENS);
	for (const plan of plansOf(wanted)) {
		const now = largestAnswer(plan, scopes, state);
		if (now >= good) return fits(plan, now);
		const settled = largestAnswer(plan, scopes, { ...state, underWay: [] });
		if (settled > now && settled >= least) return waits(tightest(plan, scopes, state));
		if (now >= least) return fits(plan, now);
	}
	return {
		is: "refused",
		...budgetReached(
			tightest({ ...wanted, keepsReport: false, keepsOthers: true }, scopes, { ...state, underWay: [] }),
		),
	};
}

function fits({ promptTokens, keepsReport, kind }: Plan, maxTokens: number): BudgetVerdict {
	const isWithoutReport = !keepsReport && kind !== "last";
	return { is: "fits", promptTokens, maxTokens, ...(isWithoutReport && { isWithoutReport }) };
}

interface Plan extends WantedCall {
	/** Room is kept for the last call of the agent itself. */
	readonly keepsReport: boolean;
	/** Room is also kept for the last calls of other agents that have begun. It always is for those of agents above it. */
	readonly keepsOthers: boolean;
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
	let [fitting, tooLarge] = [Math.min(plan.maxTokens, LEAST_ANSWER_TOKENS), plan.maxTokens];
	if (!fits(fitting)) return 0;
	while (tooLarge - fitting > 1) {
		const middle = Math.floor((fitting + tooLarge) / 2);
		if (fits(middle)) fitting = middle;
		else tooLarge = middle;
	}
	return fitting;
}

/** How much the budget lacks for this call; negative when it has room. */
function shortOf(scope: BudgetScope, plan: Plan, state: BudgetState): number {
	return ownCost(scope, plan, state) + heldByOthers(scope, plan, state) - scope.most;
}

/** The cost of the call, and of its agent's last call after it. */
function ownCost(scope: BudgetScope, plan: Plan, state: BudgetState): number {
	const { promptTokens: prompt, maxTokens: output } = plan;
	return costIn(scope, plan.model, { prompt, output }, state) + ownReportCost(scope, plan, state);
}

/** What is spent, reserved for calls under way, and kept for the last calls of others. It does not depend on the call's size. */
function heldByOthers(scope: BudgetScope, plan: Plan, state: BudgetState): number {
	const reserved = state.underWay
		.filter(({ agent }) => isWithin(agent, scope.holder))
		.reduce((sum, call) => sum + callCost(scope, call, state), 0);
	return keptForOthers(scope, plan, state) + reserved + scope.spent;
}

function callCost(
	scope: BudgetScope,
	{ agent, promptTokens: prompt, maxTokens: output }: Reservation,
	state: BudgetState,
) {
	return costIn(scope, modelOf(state.run, agent), { prompt, output }, state);
}

function ownReportCost(scope: BudgetScope, plan: Plan, state: BudgetState): number {
	return plan.keepsReport ? reportCost(scope, plan.model, plan.promptTokens + plan.maxTokens, state) : 0;
}

/** What is kept for the last calls of other agents: one by one for agents above it and those with a call under way, as a known sum for all others. */
function keptForOthers(scope: BudgetScope, plan: Plan, state: BudgetState): number {
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
			kept += reportCost(scope, agent.model, contextAtMost(id, state), state);
	}
	return kept;
}

function reportCost(scope: BudgetScope, model: string, contextTokens: number, state: BudgetState): number {
	return costIn(scope, model, { prompt: contextTokens + REPORT_PROMPT_TOKENS, output: REPORT_ANSWER_TOKENS }, state);
}

/** The largest context that another agent can have: after its newest answer, or after the answer under way. */
function contextAtMost(id: AgentId, { run, underWay }: BudgetState): number {
	const call = underWay.find(({ agent }) => agent === id);
	return call === undefined ? (run.agents[id]?.contextTokens ?? 0) : call.promptTokens + call.maxTokens;
}

function costIn(
	{ limit }: BudgetScope,
	model: string,
	tokens: { prompt: number; output: number },
	{ reports }: BudgetState,
): number {
	const { price, readsMessages } = reports.modelFacts(model);
	if (!readsMessages) return 0;
	if (limit === "max-tokens") return tokens.prompt + tokens.output;
	return highestCostOf(price, tokens) ?? Number.POSITIVE_INFINITY;
}

function modelOf(run: RunState, id: AgentId): string {
	return run.agents[id]?.model ?? run.model;
}

/** The budget that lacks the greatest share of itself for the smallest useful call. */
function tightest(wanted: Plan, scopes: readonly BudgetScope[], state: BudgetState): BudgetScope {
	const smallest = { ...wanted, maxTokens: Math.min(wanted.maxTokens, LEAST_ANSWER_TOKENS) };
	const lack = (scope: BudgetScope) => shortOf(scope, smallest, state) / scope.most;
	return scopes.reduce((tight, scope) => (lack(scope) > lack(tight) ? scope : tight));
}

function waits(scope: BudgetScope): BudgetVerdict {
	return { is: "waits", reason: `${named(scope)} is set aside for calls under way` };
}

/**
 * Agents that wait to retry a call for which a budget has no room any more: earlier attempts have used tokens, and a retry
 * may not use what is kept for reports.
 */
export function overdrawnCalls(state: BudgetState): { agent: AgentId; reached: LimitReached }[] {
	const { run, underWay, reported } = state;
	return underWay.flatMap((call) => {
		const { agent, isWithoutReport = false } = call;
		const turn = run.agents[agent]?.state;
		if (turn?.is !== "thinking" || turn.retry === undefined) return [];
		const isLast = reported.has(agent);
		const kept = { keepsReport: !isLast && !isWithoutReport, keepsOthers: !isLast };
		const plan: Plan = { ...call, ...kept, model: modelOf(run, agent), kind: isLast ? "last" : "turn" };
		const others = { ...state, underWay: underWay.filter((other) => other !== call) };
		const scope = budgetScopesOf(run, agent).find((other) => shortOf(other, plan, others) > ROUNDING);
		return scope === undefined ? [] : [{ agent, reached: budgetReached(scope) }];
	});
}

/**
 * A notice for each budget of which most is used, or that may have no room for the agent's next call. `key` identifies the
 * notice, `reason` is its text. What is kept for reports of the agent and those above it counts as used, since none of
 * them can spend it otherwise. `added`: the tokens that the agent's newest call added to the prompt; the next call is
 * assumed to add as many.
 */
export function budgetNotices(state: BudgetState, id: AgentId, added: number): { key: string; reason: string }[] {
	const { run } = state;
	const promptTokens = run.agents[id]?.contextTokens ?? 0;
	const call = { agent: id, model: modelOf(run, id), kind: "turn", keepsReport: true } as const;
	const answered: Plan = { ...call, promptTokens, maxTokens: 0, keepsOthers: false };
	const next: Plan = {
		...{ ...call, keepsOthers: true },
		...{ promptTokens: promptTokens + Math.max(LEAST_NEXT_TOKENS, added), maxTokens: LEAST_ANSWER_TOKENS },
	};
	return budgetScopesOf(run, id).flatMap((scope) => {
		const gone = scope.spent + ownReportCost(scope, answered, state) + keptForOthers(scope, answered, state);
		const mayNotFit = shortOf(scope, next, { ...state, underWay: [] }) > 0;
		if (gone < BUDGET_NOTICE_SHARE * scope.most && !mayNotFit) return [];
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
