/** The slots of a run after anything has happened: lent, given back, given out; who gets one and has asked makes its call. */
import { type AgentId, isOver, parentOf } from "../../core/agent.ts";
import type { LimitReached } from "../../core/limits.ts";
import type { RunState } from "../../core/run-state.ts";
import { lendsSlot } from "../../core/turn-state.ts";
import { noteRefused, overdrawn, weighCall } from "./call-budget.ts";
import { type Decision, emit, refuseAsk, setAsk } from "./decision.ts";
import { grantWithin, isHeldBack } from "./shortage-rules.ts";
import { lendSlot, requestSlot, type Slots } from "./slots.ts";

/** Who lends gives its slot to its newest child if that one waits; who lends no more asks for one; what is free is given out. */
export function schedule(decision: Decision, now: number): void {
	const { run, stops } = decision.state;
	let { slots } = decision.state;
	const maxConcurrencyOf = (id: AgentId) => run.agents[id]?.limits.maxConcurrency ?? Number.POSITIVE_INFINITY;
	for (const agent of Object.values(run.agents)) {
		if (isOver(agent)) continue;
		const lends = decision.state.asks[agent.id] === undefined && lendsSlot(agent);
		if (lends) slots = lendSlot(slots, agent.id, firstWaitingChild(slots, agent.id, run), maxConcurrencyOf);
		else if (stops[agent.id] === undefined) slots = requestSlot(slots, agent.id, agent.turns > 0);
	}
	slots = grantWithin(slots, run, maxConcurrencyOf);
	decision.state = { ...decision.state, slots };
	for (const { agent, reached } of overdrawn(decision.state)) {
		decision.effects.push({ do: "cancel_call", agent });
		refuseForBudget(decision, agent, reached, now);
	}
	for (const agent of slots.active) startCall(decision, agent, now);
}

function firstWaitingChild(slots: Slots, parent: AgentId, run: RunState): AgentId {
	return slots.waiting.find(({ agent }) => parentOf(agent) === parent && !isHeldBack(run, agent))?.agent ?? "";
}

function startCall(decision: Decision, agent: AgentId, now: number): void {
	const ask = decision.state.asks[agent];
	if (ask === undefined || ask.isCalling) return;
	const weighed = weighCall(decision.state, agent, ask);
	if (weighed.is === "refused") return refuseForBudget(decision, agent, weighed, now);
	if (weighed.is === "waits") return waitForBudget(decision, agent, weighed, now);
	const { kind } = ask;
	const { request, planned } = weighed;
	const turn = (decision.state.run.agents[agent]?.turns ?? 0) + (kind === "compaction" ? 0 : 1);
	const purpose = kind === "compaction" ? { purpose: kind } : {};
	emit(decision, { event: "turn_started", at: now, agent, turn, isLast: kind === "last", ...purpose });
	setAsk(decision, agent, { request, kind, isCalling: true, ...(planned === undefined ? {} : { planned }) });
	decision.effects.push({ do: "call", agent, request, kind, turn });
}

/** It keeps its slot: what it waits for needs none. */
function waitForBudget(
	decision: Decision,
	agent: AgentId,
	{ reason, promptTokens }: { reason: string; promptTokens: number },
	now: number,
): void {
	const ask = decision.state.asks[agent];
	if (ask === undefined || ask.waitsBecause !== undefined) return;
	setAsk(decision, agent, { ...ask, waitsBecause: reason, promptTokens });
	emit(decision, { event: "turn_queued", at: now, agent, reason });
}

function refuseForBudget(decision: Decision, agent: AgentId, reached: LimitReached, now: number): void {
	noteRefused(decision, agent, reached);
	refuseAsk(decision, agent, reached, now);
}
