/** The scheduler, run after each input: slots are lent, given back and granted, and each agent with a slot makes the call that it asked for. */

import { defined } from "../../core/defined.ts";
import type { LimitReached } from "../../core/limits/limits.ts";
import { logsForbiddenBy, type Shortage, shortageOfKind } from "../../core/limits/shortage.ts";
import { type AgentId, compareAgentIds, isOver } from "../../core/model/agent.ts";
import { pauseOf } from "../../core/run/pause.ts";
import type { RunState } from "../../core/run/run-state.ts";
import { lendsSlot } from "../../core/run/turn-state.ts";
import type { RunEvent } from "../../core/schemas/run-event.ts";
import type { ToAgent } from "../../wire/agent-messages.ts";
import { type CallVerdict, fitCall, noteRefused, overdrawn } from "./call-budget.ts";
import { isListening, isTalkedWith } from "./listening.ts";
import { blockOf, deliver, messagesFor, withMessages, wordsOfPerson } from "./messages.ts";
import { restsInPause, worksOn } from "./pauses.ts";
import type { MaxConcurrencyOf, Slots } from "./slots.ts";
import type { SupervisorState } from "./supervisor-state.ts";
import { type Decision, emit, refuseAsk, setAsk } from "./supervisor-state.ts";

/** Looks only at agents that have changed: no other agent can have begun to lend its slot, or to want one. */
export function schedule(decision: Decision): void {
	const { state, effects } = decision;
	const maxConcurrencyOf = (id: AgentId) => state.run.agents[id]?.limits.maxConcurrency ?? Number.POSITIVE_INFINITY;
	for (const id of [...state.touched].sort(compareAgentIds)) settleSlot(state, id, maxConcurrencyOf);
	state.touched.clear();
	grantSlots(state.slots, state.run, maxConcurrencyOf);
	for (const { agent, reached } of overdrawn(state)) {
		effects.push({ do: "cancel_call", agent });
		refuseForBudget(decision, agent, reached);
	}
	for (const agent of state.slots.active) startCall(decision, agent);
}

/** A lending agent gives its slot to its child that has waited longest; an agent that does not lend asks for a slot. */
function settleSlot(state: SupervisorState, id: AgentId, maxConcurrencyOf: MaxConcurrencyOf): void {
	const { run, slots, asks, stops } = state;
	const agent = run.agents[id];
	if (agent === undefined || isOver(agent)) return;
	if (restsInPause(state, id)) return slots.release(id);
	if (isListening(agent) && !asks.has(id)) return slots.release(id);
	if (!asks.has(id) && (lendsSlot(agent) || (agent.asking !== undefined && !worksOn(state, agent))))
		slots.lend(id, firstWaitingChild(slots, id, run), maxConcurrencyOf);
	else if (!stops.has(id)) slots.request(id, agent.turns > 0);
}

function firstWaitingChild(slots: Slots, parent: AgentId, run: RunState): AgentId | undefined {
	for (const child of slots.childrenWaiting(parent)) if (!isHeldBack(run, child)) return child;
	return undefined;
}

function startCall(decision: Decision, agent: AgentId): void {
	const ask = decision.state.asks.get(agent);
	if (ask === undefined || ask.isCalling || pauseOf(decision.state.run.agents[agent]) !== undefined) return;
	const messages = messagesFor(decision.state, agent, ask);
	const blocks = messages.map((message) => blockOf(decision.state.run, agent, message));
	const fitted = fitCall(decision.state, { agent, ask: withMessages(ask, blocks), now: decision.now });
	if (fitted.is === "refused") return refuseForBudget(decision, agent, fitted);
	if (fitted.is === "waits") return waitForBudget(decision, agent, fitted);
	const { kind } = ask;
	const { request, reservation } = fitted;
	const { turns = 0, state } = decision.state.run.agents[agent] ?? {};
	const begun = state?.is === "thinking" ? ask.turn : undefined;
	const turn = begun ?? turns + (kind === "compaction" ? 0 : 1);
	const purpose = kind === "compaction" ? { purpose: kind } : {};
	if (kind !== "compaction") decision.state.goingOn.delete(agent);
	deliver(decision, agent, messages);
	if (begun === undefined) emit(decision, { event: "turn_started", agent, turn, isLast: kind === "last", ...purpose });
	setAsk(decision, agent, { request, kind, isCalling: true, ...defined({ reservation }) });
	const said = isTalkedWith(decision.state.run, agent) ? wordsOfPerson(messages) : [];
	decision.effects.push({ do: "call", agent, request, kind, turn, ...(said.length > 0 && { said }) });
}

/** The agent keeps its slot while it waits: the calls under way that it waits for have slots of their own. */
function waitForBudget(
	decision: Decision,
	agent: AgentId,
	{ reason, promptTokens, goesOn }: Extract<CallVerdict, { is: "waits" }>,
): void {
	const ask = decision.state.asks.get(agent);
	if (ask === undefined || ask.waitsBecause !== undefined) return;
	setAsk(decision, agent, { ...ask, waitsBecause: reason, promptTokens, goesOn });
	emit(decision, { event: "turn_queued", agent, reason });
}

function refuseForBudget(decision: Decision, agent: AgentId, reached: LimitReached): void {
	noteRefused(decision, agent, reached);
	refuseAsk(decision, agent, reached);
}

/** What a shortage means for the agents of a run: which of them wait with their first turn, and whether logs are written. Pure. */

/** Events for the shortages that have ended and those that have begun. */
export function shortageEvents(before: readonly Shortage[], now: readonly Shortage[], at: number): RunEvent[] {
	const isIn = (list: readonly Shortage[], what: string) => list.some((shortage) => shortage.what === what);
	return [
		...before
			.filter(({ what }) => !isIn(now, what))
			.map(({ what }) => ({ event: "shortage_ended", at, what }) as const),
		...now
			.filter(({ what }) => !isIn(before, what))
			.map(({ what, reason }) => ({ event: "shortage_began", at, what, reason }) as const),
	];
}

/** What agents are told about writing the logs of their commands. */
export function logsMessage(shortages: readonly Shortage[]): Extract<ToAgent, { say: "logs" }> {
	const reason = logsForbiddenBy(shortages);
	return reason === undefined ? { say: "logs", mayWrite: true } : { say: "logs", mayWrite: false, reason };
}

/** While memory is short, an agent that has not begun waits with its first turn. The root never waits: without it there is no run. */
export function isHeldBack(run: RunState, id: AgentId): boolean {
	const isNew = (run.agents[id]?.turns ?? 0) === 0;
	return isNew && id.includes(".") && shortageOfKind(run.shortages, "memory") !== undefined;
}

/** Grants free slots to agents that are not held back. When no agent is active, one that is held back gets a slot, so that the run continues. */
export function grantSlots(slots: Slots, run: RunState, maxConcurrencyOf: MaxConcurrencyOf): void {
	if (shortageOfKind(run.shortages, "memory") === undefined) return void slots.grant(maxConcurrencyOf);
	slots.grant(maxConcurrencyOf, (agent) => !isHeldBack(run, agent));
	if (slots.active.size > 0) return;
	const [first] = slots.waiting;
	if (first !== undefined) slots.grant(maxConcurrencyOf, (agent) => agent === first.agent);
}

/**
 * The agents that are shown as queued and wait for a slot, in the order in which free slots are granted. A slot that is
 * lent does not go through the queue, and a bound on a branch makes those in it wait for longer. The run's state alone does not
 * tell this: an agent also asks for a slot when the children of its command have ended, long before it is queued.
 */
export function queuedAgents({ slots, run }: Pick<SupervisorState, "slots" | "run">): AgentId[] {
	return slots.waiting.flatMap(({ agent }) => (run.agents[agent]?.state.is === "queued" ? [agent] : []));
}
