/**
 * A call that its service does not answer goes on with the next of the models that a person has named for that: the service is
 * overloaded or away, or has no such model any more. The agent stays with the other model, and so do those that it starts. Pure.
 */

import { defined } from "../../core/defined.ts";
import type { AgentId } from "../../core/model/agent.ts";
import type { ModelFailure } from "../../core/model/model.ts";
import { foldedMiddle } from "../../core/preview.ts";
import type { RunState } from "../../core/run/run-state.ts";
import { factsOf, type PricedModel } from "../../models/catalogue.ts";
import { type Decision, emit, setAsk } from "./decision.ts";
import { dollarsBinding } from "./money/budget-scope.ts";
import type { Ask } from "./supervisor-state.ts";

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
export function fallBack(
	{ agent, model, turn, ask }: { agent: AgentId; model: string; turn: number; ask: Ask },
	{ outcome, costUsd }: { outcome: ModelFailure; costUsd: number | null },
	{ decision, now }: { decision: Decision; now: number },
): void {
	const { reason, usage } = outcome;
	emit(decision, {
		event: "turn_retrying",
		at: now,
		agent,
		turn,
		attempt: 1,
		waitMs: 0,
		reason,
		usage,
		costUsd,
	});
	const { contextTokens: windowTokens } = factsOf(model, decision.state.ledger.prices);
	emit(decision, { event: "agent_changed", at: now, agent, model, reason, ...defined({ windowTokens }) });
	decision.state.ledger.answered.delete(agent); // what was counted, and what is in a cache, was the other model's
	const { request, kind } = ask;
	setAsk(decision, agent, { request, kind, isCalling: false, turn });
}
