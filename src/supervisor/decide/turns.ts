/** Turns: whether an agent's call to the model may be made, and what the agent is told of its outcome. Pure. */

import { defined } from "../../core/defined.ts";
import type { LimitReached } from "../../core/limits/limits.ts";
import type { Agent, AgentId } from "../../core/model/agent.ts";
import type { Message } from "../../core/model/message.ts";
import type { AskKind, ModelFailure, ModelOutcome, ModelRequest } from "../../core/model/model.ts";
import { foldedMiddle } from "../../core/preview.ts";
import { turnLimitReached } from "../../core/run/admission.ts";
import type { RunState } from "../../core/schemas/run-state.ts";
import type { PricedModel } from "../../models/catalogue.ts";
import { factsOf, windowOf } from "../../models/catalogue.ts";
import { noteAnswered, takeNotices } from "./call-budget.ts";
import { dollarsBinding } from "./call-cost.ts";
import type { InputOf } from "./inputs-and-effects.ts";
import { beginAsking, isTalkedWith, nextTurnLimit } from "./listening.ts";
import { isAnswer, isHeldBack } from "./messages.ts";
import { tellOutcome } from "./pauses.ts";
import { schedule } from "./scheduler.ts";
import type { Ask, SupervisorState } from "./supervisor-state.ts";
import { type Decision, emit, refuseAsk, setAsk, setReported } from "./supervisor-state.ts";

export function askTurn(decision: Decision, input: InputOf<"asked">): void {
	const { agent, request, kind } = input;
	const { asks, reported, stops, ledger } = decision.state;
	if (stops.has(agent) || asks.has(agent)) return; // it was told to stop, or its one ask is under way
	decision.state.answered.delete(agent);
	if (!beginAsking(decision, input)) return;
	const overspent = kind === "last" ? ledger.refused.get(agent) : undefined;
	const reached = kind === "compaction" ? undefined : (turnLimit(decision.state, agent, kind) ?? overspent);
	const isLast = kind === "last" && reached !== undefined;
	if (reached !== undefined && (!isLast || reported.has(agent))) return refuseAsk(decision, agent, reached);
	setAsk(decision, agent, {
		request: kind === "last" ? { ...request, mayUseTools: false } : request,
		kind: kind === "last" && !isLast ? "turn" : kind, // no limit was reached, so this is a turn like any other
		isCalling: false,
	});
	if (isLast) setReported(decision, agent, true);
	schedule(decision);
	const ask = asks.get(agent);
	const isQueued = ask?.isCalling === false && ask.waitsBecause === undefined; // else the event with the reason is out
	if (isQueued) emit(decision, { event: "turn_queued", agent });
}

/** What was reached before a last call is not given anew by a message that has come since: that waits for the next turn. */
function turnLimit(state: SupervisorState, agent: AgentId, kind: AskKind): LimitReached | undefined {
	const reached = kind === "turn" ? nextTurnLimit : turnLimitReached;
	return (
		reached(state.run, agent, (within) => state.turnsWaiting.within(within)) ?? state.outOfTime.get(agent)?.reached
	);
}

export function endTurn(decision: Decision, input: InputOf<"answered">): void {
	const { agent, outcome, costUsd } = input;
	const state = decision.state.run.agents[agent]?.state;
	const ask = decision.state.asks.get(agent);
	if (ask === undefined || state?.is !== "thinking") return;
	const { turn } = state;
	const { kind } = ask;
	const model = outcome.is === "failure" && mayFallBack(outcome) ? nextOf(decision, agent) : undefined;
	if (outcome.is === "failure" && model !== undefined)
		return fallBack(decision, { agent, model, turn, ask }, { outcome, costUsd });
	setAsk(decision, agent, undefined);
	const hasAskedForTool = kind === "last" && ask.request.mayUseTools && asksForTool(outcome);
	if (hasAskedForTool) decision.state.ledger.unreported.add(agent);
	if (kind === "last" && (hasAskedForTool || isNoReport(outcome))) setReported(decision, agent, false);
	const purpose = kind === "compaction" ? { purpose: kind } : {};
	const output = defined({ output: outcome.output });
	if (outcome.is === "reply") {
		const { stopReason, stopWords, usage, content } = outcome;
		emit(decision, { event: "turn_ended", agent, turn, ...purpose, stopReason, usage, costUsd });
		const { reservation, request } = ask;
		const messages: Message[] = [...request.messages, { role: "assistant", content }];
		if (kind !== "compaction") noteAnswered(decision, agent, { usage, startedAt: state.since, reservation, messages });
		const notes = takeNotices(decision, agent, { kind, content, stopReason });
		const words = defined({ stopWords, notes: notes.length === 0 ? undefined : notes });
		const again = hasAskedForTool ? ({ reportsAgain: true } as const) : {};
		const isEnd = isAnswer(kind, outcome) && !isTalkedWith(decision.state.run, agent);
		const held = isEnd && isHeldBack(decision.state, agent) ? ({ isHeldBack: true } as const) : {};
		if (isEnd && !held.isHeldBack) decision.state.answered.add(agent);
		const message = { say: "answer", content, stopReason, usage, ...words, ...again, ...held, ...output } as const;
		tellOutcome(decision, agent, message);
	} else {
		const { reason, exitCode, usage, mayBeFull, refusesThinking } = outcome;
		const isFull = mayBeFull && isNearWindow(decision.state.run.agents[agent], ask.request);
		const contextFull = outcome.contextFull ?? (isFull ? {} : undefined);
		emit(decision, { event: "turn_failed", agent, turn, ...purpose, reason, usage, costUsd });
		noteWindow(decision, { agent, reason, windowTokens: contextFull?.maxTokens });
		const refused = defined({ contextFull, refusesThinking });
		tellOutcome(decision, agent, { say: "ask_failed", reason, exitCode, ...refused, ...output });
	}
}

/** The service has told of a smaller context than was known: from now on that counts. */
function noteWindow(
	decision: Decision,
	{ agent, reason, windowTokens }: { agent: AgentId; reason: string; windowTokens: number | undefined },
): void {
	const known = decision.state.run.agents[agent]?.windowTokens ?? Number.POSITIVE_INFINITY;
	if (windowTokens === undefined || windowTokens >= known) return;
	emit(decision, { event: "agent_changed", agent, reason, windowTokens });
}

function nextOf({ state: { run, ledger, fallbackModels: models } }: Decision, agent: AgentId): string | undefined {
	return nextModel(run, agent, { models, prices: ledger.prices });
}

/** True when a last call gave no report, so that the agent may ask again: without thinking, or with a shorter context. */
function isNoReport(outcome: ModelOutcome): boolean {
	return outcome.is === "failure" || outcome.stopReason === "model_context_window_exceeded";
}

function asksForTool(outcome: ModelOutcome): boolean {
	return outcome.is === "reply" && outcome.content.some(({ type }) => type === "tool_use");
}

/** Whether a prompt is so long that a refusal without known words is likely to mean its length. Pure. */

const NEAR = 0.8;
const CHARS_PER_TOKEN = 4;

/** What the service counted for the last prompt and its answer, and about what was said since. */
export function isNearWindow(agent: Agent | undefined, { messages }: Pick<ModelRequest, "messages">): boolean {
	const window = agent && windowOf(agent);
	if (window === undefined) return false;
	const counted = agent?.contextTokens;
	const lastAnswer = messages.findLastIndex(({ role }) => role === "assistant");
	const fresh = counted === undefined ? messages : messages.slice(lastAnswer + 1);
	const tokens = (counted ?? 0) + JSON.stringify(fresh).length / CHARS_PER_TOKEN;
	return tokens >= NEAR * window;
}

/**
 * A call that its service does not answer goes on with the next of the models that a person has named for that: the service is
 * overloaded or away, or has no such model any more. The agent stays with the other model, and so do those that it starts. Pure.
 */

const MAX_REASON = 500;

interface Fallbacks {
	/** The models in the order in which they take over. */
	readonly models: readonly string[];
	readonly prices: readonly PricedModel[];
}

/** The model that takes over from the agent's; undefined when none is left. One without a known price keeps no budget in dollars. */
export function nextModel(run: RunState, agent: AgentId, { models, prices }: Fallbacks): string | undefined {
	const model = run.agents[agent]?.model ?? run.model;
	const left = models.slice(models.indexOf(model) + 1);
	const isBound = dollarsBinding(run, agent) !== undefined;
	return left.find((name) => name !== model && !(isBound && factsOf(name, prices).price.is === "unknown"));
}

/** Whether another model may do better: the same request may succeed later, or never with this one. */
export function mayFallBack({ retry, isModelGone }: ModelFailure): boolean {
	return retry !== undefined || isModelGone === true;
}

export function fallbackWords(reason: string, model: string): string {
	return `${foldedMiddle(reason, MAX_REASON)}; continuing with ${model}`;
}

/** Puts the ask back, so that its call is made with the model. It stays the same turn. */
function fallBack(
	decision: Decision,
	{ agent, model, turn, ask }: { agent: AgentId; model: string; turn: number; ask: Ask },
	{ outcome, costUsd }: { outcome: ModelFailure; costUsd: number | null },
): void {
	const { reason, usage } = outcome;
	emit(decision, {
		event: "turn_retrying",
		agent,
		turn,
		attempt: 1,
		waitMs: 0,
		reason,
		usage,
		costUsd,
	});
	const { contextTokens: windowTokens } = factsOf(model, decision.state.ledger.prices);
	emit(decision, { event: "agent_changed", agent, model, reason, ...defined({ windowTokens }) });
	decision.state.ledger.answered.delete(agent); // what was counted, and what is in a cache, was the other model's
	const { request, kind } = ask;
	setAsk(decision, agent, { request, kind, isCalling: false, turn });
}
