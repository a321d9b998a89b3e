/** The budgets of one call: what the call may use, what is noted when it ends, and what its agent is told. Pure. */

import { defined } from "../../core/defined.ts";
import type { LimitReached } from "../../core/limits/limits.ts";
import { type AgentId, withAncestors } from "../../core/model/agent.ts";
import type { AssistantBlock, Message } from "../../core/model/message.ts";
import type { AskKind, ModelRequest } from "../../core/model/model.ts";
import { totalTokens, type Usage } from "../../core/model/usage.ts";
import { branchOf } from "../../core/run/agent-index.ts";
import { turnsTaken } from "../../core/run/chat-progress.ts";
import type { RunState } from "../../core/run/run-state.ts";
import { BUDGET_NOTICE_SHARE } from "../../core/run/spending.ts";
import { factsOf } from "../../models/catalogue.ts";
import { windowTokens } from "../../models/provider/model-facts.ts";
import type { Answered } from "./budget.ts";
import {
	type BudgetState,
	type BudgetVerdict,
	budgetNotices,
	fitToBudget,
	LEAST_ANSWER_TOKENS,
	overdrawnCalls,
	type Reservation,
	type WantedCall,
} from "./budget.ts";
import { cacheAfter, dollarsBinding, isBudgeted, isProven, prefixCachedAt, REPORT_PROMPT_TOKENS } from "./call-cost.ts";
import type { InputOf } from "./inputs-and-effects.ts";
import {
	type Counted,
	digestOf,
	goesOn,
	NOTHING_COUNTED,
	promptTokensAtMost,
	ratioAfter,
	tokensAtMost,
	usualPromptTokens,
	usualRatioAfter,
	withShorterResults,
} from "./prompt-estimate.ts";
import type { Ask, SupervisorState } from "./supervisor-state.ts";
import { type Decision, emit, setAsk } from "./supervisor-state.ts";

const FIRST_PROMPT_TOKENS = 3_000; // the instructions and the tool of a new agent
/** Stop reasons after which an agent asks again although the answer has no tool call. */
const CONTINUED_STOP_REASONS = ["pause_turn", "max_tokens"];

/** The request to send, or why no call is made now. `reservation`: absent when no budget binds the agent. */
export type CallVerdict =
	| { readonly is: "fits"; readonly request: ModelRequest; readonly reservation?: Reservation }
	/** With what was found out of the whole request, so that this is done once however often the call is reconsidered. */
	| (Extract<BudgetVerdict, { is: "waits" }> & Required<Pick<Ask, "promptTokens" | "goesOn">>)
	| Extract<BudgetVerdict, { is: "refused" }>;

/** Whether the agent's call may be made now, with the request bounded to what its budgets have room for. */
export function fitCall(
	state: SupervisorState,
	{ agent, ask, now }: { agent: AgentId; ask: Ask; now: number },
): CallVerdict {
	const { run, ledger } = state;
	const { kind, request } = ask;
	const model = run.agents[agent]?.model ?? run.model;
	const facts = factsOf(model, ledger.prices);
	const maxTokens = Math.min(facts.maxAnswerTokens, request.maxTokens ?? Number.POSITIVE_INFINITY);
	const own = factsOf(model); // without sizes of the user's own
	if (!isBudgeted(run, agent)) return { is: "fits", request: withBound(request, maxTokens, own.maxAnswerTokens) };
	const answered = answeredBefore(state, agent, ask);
	const counted = countedFor(state, agent, answered);
	const promptTokens = ask.promptTokens ?? promptTokensOf(request, counted, windowTokens(facts));
	const { tokens, ratio } = counted;
	const shortest = kind === "last" && tokens !== undefined ? tokens + REPORT_PROMPT_TOKENS : promptTokens;
	const leastPromptTokens = Math.min(promptTokens, shortest);
	const isFirst = kind === "turn" && run.agents[agent]?.turns === 0;
	const known = knownOfCall(state, { agent, kind, promptTokens, now, answered });
	const wanted = { agent, model, kind, promptTokens, maxTokens, leastPromptTokens, isFirst, ...known };
	const verdict = fitToBudget(wanted, budgetState(state, agent));
	if (verdict.is === "waits") return { ...verdict, promptTokens, goesOn: answered !== undefined };
	if (verdict.is === "refused") return verdict;
	const { is: _, allowsTools: mayUseTools = request.mayUseTools, ...fit } = verdict;
	const fitting = fit.promptTokens < promptTokens ? withShorterResults(request, REPORT_PROMPT_TOKENS / ratio) : request;
	const reservation = { agent, ...fit };
	const ownBound = own.isUnbounded ? Number.POSITIVE_INFINITY : own.maxAnswerTokens;
	return { is: "fits", request: { ...withBound(fitting, fit.maxTokens, ownBound), mayUseTools }, reservation };
}

type KnownOfCall = Pick<WantedCall, "cached" | "usual" | "isCacheProven" | "cachedWithTools">;

/** What earlier answers tell of the agent's next call. A call that forbids tools, as a last one does, finds nothing in the cache. */
function knownOfCall(
	state: SupervisorState,
	{
		agent,
		kind,
		promptTokens,
		now,
		answered,
	}: { agent: AgentId; kind: AskKind; promptTokens: number; now: number; answered: Answered | undefined },
): KnownOfCall {
	if (answered === undefined) return {};
	const usualTokens = usualPromptTokens(promptTokens, answered);
	const answerTokens = Math.min(answered.longestAnswer, LEAST_ANSWER_TOKENS);
	const prefix = prefixCachedAt(answered.cache, now);
	const isLast = kind === "last";
	return {
		isCacheProven: isProven(answered.cache),
		...defined({
			cached: isLast ? undefined : prefix,
			cachedWithTools: isLast && !state.ledger.unreported.has(agent) ? prefix : undefined,
			usual: usualTokens === undefined ? undefined : { promptTokens: usualTokens, answerTokens },
		}),
	};
}

function promptTokensOf(request: ModelRequest, counted: Counted, contextTokens: number): number {
	return Math.min(contextTokens, promptTokensAtMost(request, counted));
}

/** Why a child may not start or resume: its model has no known price (wrong usage), or a budget has no room for its first call. */
export function budgetRefusal(
	state: SupervisorState,
	{ resolved, join }: InputOf<"joined">,
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
			reason: `the price of the model ${model} is unknown, and a dollar budget applies (${bound}): use a model with a known price, or leave out --model to keep yours`,
		};
	if (!isBudgeted(run, parent)) return undefined;
	const promptTokens = FIRST_PROMPT_TOKENS + tokensAtMost(join.task ?? "");
	const { maxAnswerTokens: maxTokens } = facts;
	const wanted = { agent: `${parent}.0`, model, kind: "turn", promptTokens, maxTokens, isFirst: true } as const;
	const verdict = fitToBudget(wanted, { ...budgetState(state, parent), underWay: [] });
	if (verdict.is !== "refused") return undefined;
	return { parent, code: "budget", reason: `${verdict.reason}: start no more agents, and report what you have` };
}

/** Withdraws the agent's ask. What was reserved for a call under way stays reserved until the call has been charged. */
export function withdrawAsk(decision: Decision, agent: AgentId): void {
	const { asks, ledger } = decision.state;
	const ask = asks.get(agent);
	if (ask?.isCalling) decision.effects.push({ do: "cancel_call", agent });
	if (ask?.reservation !== undefined) ledger.unsettled.push(ask.reservation);
	setAsk(decision, agent, undefined);
}

/** Releases what was reserved for a cancelled call, which has been charged now. */
export function settleCancelled({ state }: Decision, agent: AgentId): void {
	const { unsettled } = state.ledger;
	const at = unsettled.findIndex((call) => call.agent === agent);
	if (at >= 0) unsettled.splice(at, 1);
}

/** Notes what the service counted for a call. `reservation`: that of the call; absent when no budget binds the agent. */
export function noteAnswered(
	{ state }: Decision,
	agent: AgentId,
	{
		usage,
		startedAt,
		reservation,
		messages,
	}: Readonly<{
		usage: Usage;
		startedAt: number;
		reservation: Reservation | undefined;
		/** Up to the answer. */
		messages: readonly Message[];
	}>,
): void {
	const earlier = answeredOf(state, agent);
	const before = countedFor(state, agent, earlier);
	const tokens = totalTokens(usage);
	const sizes = { counted: tokens - usage.output, estimated: reservation?.promptTokens ?? 0 };
	const added = before.tokens === undefined || reservation === undefined ? 0 : reservation.promptTokens - before.tokens;
	state.ledger.answered.set(agent, {
		...{ tokens, added, ratio: ratioAfter(before, sizes), ...usualRatioAfter(before, sizes) },
		compactions: compactionsOf(state, agent),
		...(reservation !== undefined && { digest: digestOf(messages) }),
		longestAnswer: Math.max(usage.output, state.ledger.answered.get(agent)?.longestAnswer ?? 0),
		cache: cacheAfter(earlier?.cache, usage, startedAt),
	});
}

/** Remembers that a budget refused the agent's call, so that it may make a last one. */
export function noteRefused(decision: Decision, agent: AgentId, reached: LimitReached): void {
	decision.state.ledger.refused.set(agent, reached);
}

/** The notices about budgets, turns and time for an agent that will ask again. Each notice is given once. */
export function takeNotices(
	decision: Decision,
	agent: AgentId,
	reply: { kind: AskKind; content: readonly AssistantBlock[]; stopReason: string },
): string[] {
	const willAskAgain =
		reply.content.some(({ type }) => type === "tool_use") || CONTINUED_STOP_REASONS.includes(reply.stopReason);
	if (reply.kind !== "turn" || !willAskAgain) return [];
	const { ledger } = decision.state;
	const added = ledger.answered.get(agent)?.added ?? 0;
	const promptTokens = (decision.state.run.agents[agent]?.contextTokens ?? 0) + added;
	const answered = answeredOf(decision.state, agent);
	const known = knownOfCall(decision.state, { agent, kind: "turn", promptTokens, now: decision.now, answered });
	const notices = [
		...budgetNotices(budgetState(decision.state, agent), agent, { added, ...known }),
		...turnNotices(decision.state.run, agent),
	].filter(({ key }) => !ledger.noticed.has(key));
	for (const { key, reason } of notices) {
		emit(decision, { event: "budget_noticed", agent, reason });
		ledger.noticed.add(key);
	}
	const ofTime = ledger.toTell.get(agent) ?? [];
	ledger.toTell.delete(agent);
	return [
		...notices.map(({ reason }) => `${reason}. At the limit you can only report: do what matters most now.`),
		...ofTime,
	];
}

/** Calls that wait for a retry although earlier attempts have used up what was reserved. */
export function overdrawn(state: SupervisorState): { agent: AgentId; reached: LimitReached }[] {
	return overdrawnCalls(budgetState(state));
}

/** What the service counted for the agent. A history that was compacted since is another prompt, of the same density. */
function countedFor(state: SupervisorState, agent: AgentId, answered: Answered | undefined): Counted {
	const { ratio, usualRatio } = state.ledger.answered.get(agent) ?? NOTHING_COUNTED;
	return answered ?? { ratio, ...defined({ usualRatio }) };
}

/** The agent's newest answer, where its next request goes on from that. What an agent sends may be any other prompt. */
function answeredBefore(
	state: SupervisorState,
	agent: AgentId,
	{ request, goesOn: isKnown }: Ask,
): Answered | undefined {
	const answered = answeredOf(state, agent);
	if (answered?.digest === undefined) return undefined;
	return (isKnown ?? goesOn(request.messages, answered.digest)) ? answered : undefined;
}

/** The agent's newest answer; undefined when its history has been compacted since. */
function answeredOf(state: SupervisorState, agent: AgentId): Answered | undefined {
	const answered = state.ledger.answered.get(agent);
	return answered?.compactions === compactionsOf(state, agent) ? answered : undefined;
}

function compactionsOf({ run }: SupervisorState, agent: AgentId): number {
	return run.agents[agent]?.compactions ?? 0;
}

function budgetState({ run, slots, asks, reported, ledger }: SupervisorState, except?: AgentId): BudgetState {
	const calls = [...slots.active].flatMap((agent) => (agent === except ? [] : (asks.get(agent)?.reservation ?? [])));
	return { run, reported, underWay: [...calls, ...ledger.unsettled], reports: ledger.reports };
}

/**
 * Adds a bound only where one is needed: the body of a request must not change between turns without need. `own`: the model's, which
 * is asked for without one.
 */
function withBound(request: ModelRequest, maxTokens: number, own: number): ModelRequest {
	return maxTokens < (request.maxTokens ?? own) ? { ...request, maxTokens } : request;
}

/** What an agent is told of its turns when most of them are taken. Pure. */

/** `key` identifies the notice, which is given once; `reason` is its text. At the limit itself another text is given. */
function turnNotices(run: RunState, id: AgentId): { key: string; reason: string }[] {
	const agent = run.agents[id];
	if (agent === undefined) return [];
	const { maxTurns } = agent.limits;
	const own = { taken: turnsTaken(agent), most: maxTurns, named: `max-turns ${maxTurns}` };
	const since = agent.turns - own.taken; // in a conversation each message of a person gives turns anew
	const shared = withAncestors(id).flatMap((holder) => {
		const most = run.agents[holder]?.limits.maxTotalTurns;
		if (most === undefined) return [];
		return {
			taken: branchOf(run.agents, holder).turns,
			most,
			named: `max-total-turns ${most} from agent ${holder} down`,
		};
	});
	return [own, ...shared]
		.filter(({ taken, most }) => taken >= BUDGET_NOTICE_SHARE * most && taken < most)
		.map(({ taken, most, named }) => ({
			key: `${id} ${since} ${named}`,
			reason: `${taken} of ${most} turns are used (${named})`,
		}));
}
