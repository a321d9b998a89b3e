/**
 * Budgets are reserved before a call and settled after it. What a call may use at most is set aside for as long as it
 * is under way, in every budget above it, so agents that start together cannot overspend together. Each call leaves
 * room for one last call, "report what you have", of its own agent, of every agent above it, and, at the price that is
 * likely, of the others that have begun. An answer's bound is
 * lowered to what fits; when too little is left for a call it waits for those under way, whose part is mostly too
 * large, and is refused only when their end would not help either.
 */
import { type Agent, type AgentId, isOver, isWithin, withAncestors } from "./agent.ts";
import type { LimitReached } from "./limits.ts";
import { type AskKind, totalTokens, type Usage } from "./model.ts";
import { limitReached, named, type Purse, pursesOf } from "./purse.ts";
import type { RunState } from "./run-state.ts";

/** A call's tokens at most. */
export interface PlannedCall {
	readonly agent: AgentId;
	readonly promptTokens: number;
	readonly maxTokens: number;
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
	readonly reported: readonly AgentId[];
	/** Dollars; null when the model has no known price. */
	readonly highestCost: (model: string, tokens: { prompt: number; output: number }) => number | null;
	/** Dollars; null as above. */
	readonly cost: (model: string, usage: Usage) => number | null;
}

export type Verdict =
	/** With no more than this. */
	| { readonly is: "fits"; readonly promptTokens: number; readonly maxTokens: number }
	| { readonly is: "waits"; readonly reason: string }
	| ({ readonly is: "refused" } & LimitReached);

export const LEAST_ANSWER_TOKENS = 1_024; // less is cut in the middle of a thought
const GOOD_ANSWER_TOKENS = 8_192; // worth waiting for while others hold what they will not use
export const REPORT_ANSWER_TOKENS = 1_024;
/** What a last call adds to the context before it: its command's results are cut to this when they are longer. */
export const REPORT_PROMPT_TOKENS = 2_048;

export function weigh(wish: Wish, facts: BudgetFacts): Verdict {
	const purses = pursesOf(facts.run, wish.agent);
	const good = Math.min(wish.maxTokens, wish.kind === "last" ? REPORT_ANSWER_TOKENS : GOOD_ANSWER_TOKENS);
	const least = Math.min(wish.maxTokens, LEAST_ANSWER_TOKENS);
	for (const inPlan of plansOf(wish)) {
		const { promptTokens } = inPlan;
		const now = largestAnswer(inPlan, purses, facts);
		if (now >= good) return { is: "fits", promptTokens, maxTokens: now };
		const settled = largestAnswer(inPlan, purses, { ...facts, underWay: [] });
		if (settled > now && settled >= least) return waits(tightest(inPlan, purses, facts));
		if (now >= least) return { is: "fits", promptTokens, maxTokens: now };
	}
	return {
		is: "refused",
		...limitReached(tightest({ ...wish, keepsReport: false }, purses, { ...facts, underWay: [] })),
	};
}

interface Plan extends Wish {
	/** Room is kept for the agent's own last call. */
	readonly keepsReport: boolean;
}

/** The best first. */
function plansOf(wish: Wish): Plan[] {
	const { kind, isFirst, promptTokens, leastPromptTokens = promptTokens } = wish;
	const plan = { ...wish, keepsReport: kind !== "last" };
	if (isFirst) return [plan, { ...plan, keepsReport: false }];
	return leastPromptTokens < promptTokens ? [plan, { ...plan, promptTokens: leastPromptTokens }] : [plan];
}

/** 0 when the smallest useful answer does not fit. What is needed grows with the answer, so halving finds it. */
function largestAnswer(plan: Plan, purses: readonly Purse[], facts: BudgetFacts): number {
	const fits = (maxTokens: number) => purses.every((purse) => shortOf(purse, { ...plan, maxTokens }, facts) <= 0);
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
function shortOf(purse: Purse, plan: Plan, facts: BudgetFacts): number {
	const reserved = facts.underWay
		.filter(({ agent }) => isWithin(agent, purse.holder))
		.reduce((sum, call) => sum + callCost(purse, call, facts), 0);
	const { promptTokens: prompt, maxTokens: output } = plan;
	const own = costIn(purse, plan.model, { prompt, output }, facts);
	return own + keptForReports(purse, plan, facts) + reserved + purse.spent - purse.most;
}

function callCost(purse: Purse, { agent, promptTokens: prompt, maxTokens: output }: PlannedCall, facts: BudgetFacts) {
	return costIn(purse, modelOf(facts.run, agent), { prompt, output }, facts);
}

/**
 * At the highest price for who is sure of it: the agent and those above it. Other agents that have begun will most
 * likely have their context read from the cache; a last call goes before theirs.
 */
function keptForReports(purse: Purse, plan: Plan, facts: BudgetFacts): number {
	const { run, reported } = facts;
	const line = withAncestors(plan.agent);
	let kept = plan.keepsReport ? reportCost(purse, plan.model, plan.promptTokens + plan.maxTokens, facts) : 0;
	for (const agent of Object.values(run.agents)) {
		const { id, model } = agent;
		if (id === plan.agent || !isWithin(id, purse.holder) || isOver(agent) || reported.includes(id)) continue;
		if (line.includes(id)) kept += reportCost(purse, model, contextAtMost(id, facts), facts);
		else if (agent.turns > 0 && plan.kind !== "last") kept += likelyReportCost(purse, agent, facts);
	}
	return kept;
}

function reportCost(purse: Purse, model: string, contextTokens: number, facts: BudgetFacts): number {
	return costIn(purse, model, { prompt: contextTokens + REPORT_PROMPT_TOKENS, output: REPORT_ANSWER_TOKENS }, facts);
}

function likelyReportCost(purse: Purse, { id, model, contextTokens = 0 }: Agent, facts: BudgetFacts): number {
	if (model === "shell") return 0;
	const asked = facts.underWay.find(({ agent }) => agent === id)?.promptTokens ?? 0;
	const cached = { input: 0, cacheRead: Math.max(contextTokens, asked), cacheWrite: REPORT_PROMPT_TOKENS };
	const usage = { ...cached, output: REPORT_ANSWER_TOKENS };
	return purse.limit === "max-tokens" ? totalTokens(usage) : (facts.cost(model, usage) ?? Number.POSITIVE_INFINITY);
}

/** Of an agent above: after its newest answer, or after the one that is under way. */
function contextAtMost(id: AgentId, { run, underWay }: BudgetFacts): number {
	const call = underWay.find(({ agent }) => agent === id);
	return call === undefined ? (run.agents[id]?.contextTokens ?? 0) : call.promptTokens + call.maxTokens;
}

function costIn(
	{ limit }: Purse,
	model: string,
	tokens: { prompt: number; output: number },
	{ highestCost }: BudgetFacts,
): number {
	if (model === "shell") return 0; // asks nobody
	if (limit === "max-tokens") return tokens.prompt + tokens.output;
	return highestCost(model, tokens) ?? Number.POSITIVE_INFINITY;
}

function modelOf(run: RunState, id: AgentId): string {
	return run.agents[id]?.model ?? run.model;
}

/** The budget that the smallest call would exceed by the greatest part of it. */
function tightest(wish: Plan, purses: readonly Purse[], facts: BudgetFacts): Purse {
	const smallest = { ...wish, maxTokens: Math.min(wish.maxTokens, LEAST_ANSWER_TOKENS) };
	const lack = (purse: Purse) => shortOf(purse, smallest, facts) / purse.most;
	return purses.reduce((tight, purse) => (lack(purse) > lack(tight) ? purse : tight));
}

function waits(purse: Purse): Verdict {
	return { is: "waits", reason: `${named(purse)} is set aside for calls under way` };
}

/** Agents whose call broke and whose next try is no longer covered: what the tries before it used is spent. */
export function overdrawnCalls(facts: BudgetFacts): { agent: AgentId; reached: LimitReached }[] {
	return facts.underWay.flatMap(({ agent }) => {
		const state = facts.run.agents[agent]?.state;
		if (state?.is !== "thinking" || state.retry === undefined) return [];
		const purse = pursesOf(facts.run, agent).find((other) => reservedAndSpent(other, facts) > other.most);
		return purse === undefined ? [] : [{ agent, reached: limitReached(purse) }];
	});
}

function reservedAndSpent(purse: Purse, facts: BudgetFacts): number {
	const within = facts.underWay.filter(({ agent }) => isWithin(agent, purse.holder));
	return within.reduce((sum, call) => sum + callCost(purse, call, facts), purse.spent);
}
