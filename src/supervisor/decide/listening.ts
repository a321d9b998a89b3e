/**
 * The root of a conversation listens between its answers: it has no slot then and takes no turn, and its time, which is the
 * run's, stands still. It goes on when a message waits for it that it may answer. A person may interrupt what it does: a call
 * under way is cancelled, and what that has said is its answer; commands are the agent's own to end. Then it listens. Pure.
 */

import { defined } from "../../core/defined.ts";
import type { LimitReached } from "../../core/limits/limits.ts";
import { type Agent, type AgentId, ROOT } from "../../core/model/agent.ts";
import { type AssistantBlock, INTERRUPTED_STOP } from "../../core/model/message.ts";
import type { AskKind } from "../../core/model/model.ts";
import { NO_USAGE, type Usage } from "../../core/model/usage.ts";
import { totalTurnLimitReached, turnLimitReached } from "../../core/run/admission.ts";
import type { RunState } from "../../core/run/run-state.ts";
import { newestOfPerson } from "../../core/run/waiting-messages.ts";
import type { InterruptedAt } from "../../wire/watcher-messages.ts";
import type { DraftMessage, InputOf } from "./inputs-and-effects.ts";
import { giveKept, goneRefusal, isTimeHeld } from "./pauses.ts";
import type { SupervisorState } from "./supervisor-state.ts";
import { type Decision, emit, setAsk, setReported } from "./supervisor-state.ts";

/** Whether a person talks with the agent: it is the root of a conversation. */
export function isTalkedWith({ isConversation }: Pick<RunState, "isConversation">, agent: AgentId): boolean {
	return agent === ROOT && isConversation === true;
}

export function isListening(agent: Agent | undefined): boolean {
	return agent?.state.is === "listening";
}

/**
 * The limit that forbids the agent's next turn; undefined when it may be made. `reserved`: as in `turnLimitReached`. In a
 * conversation each message of a person gives the root its turns anew, from when it waits.
 */
export function nextTurnLimit(
	run: RunState,
	agent: AgentId,
	reserved?: (within: AgentId) => number,
): LimitReached | undefined {
	const reached = hasNewMessage(run, agent) ? totalTurnLimitReached : turnLimitReached;
	return reached(run, agent, reserved);
}

/** A message of a person waits for the root of a conversation. */
function hasNewMessage(run: RunState, agent: AgentId): boolean {
	return isTalkedWith(run, agent) && newestOfPerson(run.agents[agent]?.messages ?? []) >= 0;
}

/** Whether what waits for the agent is kept for its next turn, and not carried by its last call: it will have that turn. */
export function waitsForTurn(state: SupervisorState, agent: AgentId): boolean {
	const { run, ledger } = state;
	return hasNewMessage(run, agent) && nextTurnLimit(run, agent) === undefined && !ledger.refused.has(agent);
}

export function listen(decision: Decision, { agent, reason }: InputOf<"listens">): void {
	const { state, effects } = decision;
	if (state.stops.has(agent)) return;
	state.interrupted.delete(agent);
	state.goingOn.delete(agent);
	emit(decision, { event: "agent_listening", agent, ...defined({ reason }) });
	state.slots.release(agent);
	effects.push({ do: "hold_time", agent, isHeld: true });
	letGoOn(decision, agent);
}

/** Lets an agent that listens go on, when a message waits for it that it may answer. */
export function letGoOn({ state, effects }: Decision, id: AgentId): void {
	const agent = state.run.agents[id];
	if (!isListening(agent) || agent?.messages === undefined) return;
	if (state.goingOn.has(id) || state.stops.has(id) || state.answered.has(id)) return;
	if ((nextTurnLimit(state.run, id) ?? state.ledger.refused.get(id)) !== undefined) return;
	state.goingOn.add(id);
	effects.push({ do: "tell", agent: id, message: { say: "go_on" } });
}

/**
 * Whether the agent's ask counts; its time goes on then, if it has listened. False when it was interrupted, or all was taken
 * back that it would say: it listens again.
 */
export function beginAsking(decision: Decision, { agent, kind }: { agent: AgentId; kind: AskKind }): boolean {
	const { state, effects } = decision;
	const { run, interrupted, goingOn } = state;
	const hasNothing = kind === "turn" && goingOn.has(agent) && run.agents[agent]?.messages === undefined;
	if (interrupted.has(agent) || hasNothing) {
		answerNothing(decision, agent);
		return false;
	}
	const isHeld = isTimeHeld(state, agent);
	state.timeHeld.set(agent, isHeld);
	if (isListening(run.agents[agent])) effects.push({ do: "hold_time", agent, isHeld });
	return true;
}

/** Why the agent cannot be interrupted; undefined when it can. */
export function interruptRefusal(state: SupervisorState, id: AgentId): string | undefined {
	const gone = goneRefusal(state, id);
	if (gone !== undefined || isTalkedWith(state.run, id)) return gone;
	return `only the root of a conversation can be interrupted; agent stop ${id} ends agent ${id} and all below it`;
}

/** What the agent does that an interruption would end. */
export function interruptedAt({ run, asks, goingOn }: SupervisorState, id: AgentId): InterruptedAt {
	const ask = asks.get(id);
	if (ask !== undefined) return ask.isCalling ? "thinking" : "queued";
	const { is } = run.agents[id]?.state ?? { is: "queued" };
	switch (is) {
		case "listening":
			return goingOn.has(id) ? "queued" : "listening";
		case "running":
		case "waiting":
			return "running";
		case "thinking":
			return "thinking";
		case "queued":
		case "ended":
			return "queued";
	}
}

/** One that has not begun with what was said to it goes on with that: the message can be taken back. */
export function interrupt(decision: Decision, agent: AgentId): void {
	const { state, effects } = decision;
	const ask = state.asks.get(agent);
	const hasBegun = ask?.isCalling || !(isListening(state.run.agents[agent]) || state.goingOn.has(agent));
	if (!hasBegun || state.interrupted.has(agent)) return;
	state.interrupted.add(agent);
	emit(decision, { event: "agent_interrupted", agent, from: null });
	effects.push({ do: "tell", agent, message: { say: "interrupt" } });
	giveKept(decision, agent);
	if (ask?.isCalling) effects.push({ do: "cancel_call", agent, keeps: true });
	else if (ask !== undefined) answerNothing(decision, agent);
}

/** The agent's call was cancelled because of an interruption: what it had said is its answer. */
export function answerKept(
	decision: Decision,
	agent: AgentId,
	{ content, usage }: { content: readonly AssistantBlock[]; usage: Usage },
): void {
	const { state, effects } = decision;
	if (!state.asks.get(agent)?.isCalling || !state.interrupted.has(agent)) return; // it was stopped meanwhile
	setAsk(decision, agent, undefined);
	effects.push({ do: "tell", agent, message: cutAnswer(content, usage) });
}

/** Takes the newest message of a person back. An agent that was about to ask because of it listens again. */
export function withdraw(decision: Decision, agent: AgentId): void {
	const { run, goingOn, asks } = decision.state;
	const { messages = [] } = run.agents[agent] ?? {};
	const newest = messages[newestOfPerson(messages)];
	if (newest === undefined) return;
	emit(decision, { event: "message_withdrawn", agent, text: newest.text });
	const { isCalling, kind } = asks.get(agent) ?? {};
	const isAsking = goingOn.has(agent) && isCalling === false && kind === "turn";
	if (isAsking && decision.state.run.agents[agent]?.messages === undefined) answerNothing(decision, agent);
}

/** Why the conversation cannot be closed; undefined when it can. */
export function closeRefusal({ run, stops, goingOn }: SupervisorState): string | undefined {
	const root = run.agents[ROOT];
	if (run.isConversation !== true) return "this run is not a conversation: it ends with its answer";
	if (stops.has(ROOT)) return "the run is being stopped";
	if (!isListening(root) || goingOn.has(ROOT)) return `agent ${ROOT} is working: interrupt it, or stop the run`;
	return undefined;
}

/** Nothing is said to the agent any more. */
export function close({ state, effects }: Decision): void {
	state.answered.add(ROOT);
	effects.push({ do: "tell", agent: ROOT, message: { say: "close" } });
}

function answerNothing(decision: Decision, agent: AgentId): void {
	setAsk(decision, agent, undefined);
	decision.effects.push({ do: "tell", agent, message: cutAnswer([], NO_USAGE) });
}

function cutAnswer(content: readonly AssistantBlock[], usage: Usage): DraftMessage {
	return { say: "answer", content: [...content], stopReason: INTERRUPTED_STOP, usage };
}

/** What a person changes of the root of a conversation: its model, its effort, its limits, which only a person widens. Pure. */

/** Why the agent cannot be asked for this; undefined when it can. */
export function talkRefusal({ run, stops, answered }: SupervisorState, id: AgentId): string | undefined {
	const agent = run.agents[id];
	if (agent === undefined) return `this run has no agent ${id}; see agent ps`;
	if (!isTalkedWith(run, id)) return `agent ${id} is not the root of a conversation`;
	if (agent.state.is === "ended" || stops.has(id) || answered.has(id)) return `agent ${id} is ending`;
	return undefined;
}

/** What was reached of the limits before is looked at anew. */
export function change(decision: Decision, input: InputOf<"change_asked">): void {
	const { state, effects } = decision;
	const { agent, model, effort, limits, windowTokens } = input;
	const isOtherModel = model !== undefined && model !== state.run.agents[agent]?.model;
	emit(decision, { event: "agent_changed", agent, ...defined({ model, effort, limits, windowTokens }) });
	state.ledger.refused.delete(agent);
	if (isOtherModel) state.ledger.answered.delete(agent); // what was counted, and what is in a cache, was the other model's
	setReported(decision, agent, false);
	state.slots.boundsChanged();
	effects.push({ do: "change", agent, ...(isOtherModel && { isOtherModel }) });
	letGoOn(decision, agent);
}

/** Why the agent's older rounds cannot be replaced now; undefined when they can. */
export function compactRefusal(state: SupervisorState, id: AgentId): string | undefined {
	const isAtRest = isListening(state.run.agents[id]) && !state.goingOn.has(id);
	return (
		talkRefusal(state, id) ?? (isAtRest ? undefined : `agent ${id} is working: interrupt it, or wait until it is idle`)
	);
}

/** The agent is not let go on before it listens again. */
export function compact({ state, effects }: Decision, agent: AgentId): void {
	state.goingOn.add(agent);
	effects.push({ do: "tell", agent, message: { say: "compact" } });
}
