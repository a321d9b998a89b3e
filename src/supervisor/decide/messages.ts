/**
 * Messages to agents. They wait in the run's state, which is what its event log tells, until a call of the agent carries them:
 * so none is lost with a supervisor. A message that can reach nobody any more is refused. Pure.
 */

import type { LimitReached } from "../../core/limits/limits.ts";
import { type Agent, type AgentId, isOver } from "../../core/model/agent.ts";
import type { UserBlock, UserMessage } from "../../core/model/message.ts";
import { markedText, type Sender } from "../../core/model/message-marks.ts";
import type { ModelOutcome } from "../../core/model/model.ts";
import { withoutGoOn } from "../../core/model/placeholder-texts.ts";
import { totalTurnLimitReached, turnLimitReached } from "../../core/run/admission.ts";
import { pauseOf } from "../../core/run/pause.ts";
import type { RunState } from "../../core/run/run-state.ts";
import { lendsSlot } from "../../core/run/turn-state.ts";
import type { WaitingMessage } from "../../core/schemas/run-state.ts";
import { describeEnding } from "../../text/describe-ending.ts";
import type { Arrival } from "../../wire/watcher-messages.ts";
import { isListening, isTalkedWith, waitsForTurn } from "./listening.ts";
import type { Ask, SupervisorState } from "./supervisor-state.ts";
import { type Decision, emit, setReported } from "./supervisor-state.ts";

const MAX_WAITING = 20;

export type Sent =
	| { readonly is: "taken"; readonly arrives: Arrival }
	| { readonly is: "refused"; readonly reason: string };

/** Whether the agent can still get a message, and when. */
export function mayGetMessage(state: SupervisorState, id: AgentId, from: Sender = null): Sent {
	const agent = state.run.agents[id];
	const reason = agent === undefined ? `this run has no agent ${id}; see agent ps` : whyNot(state, agent, from);
	if (agent === undefined || reason !== undefined) return { is: "refused", reason: reason ?? "" };
	return { is: "taken", arrives: arrivalAt(agent) };
}

function whyNot(state: SupervisorState, agent: Agent, from: Sender): string | undefined {
	const { id, messages = [] } = agent;
	if (isOver(agent)) return `agent ${id} has ended: ${describeEnding(agent.state.ending)}`;
	if (state.stops.has(id)) return `agent ${id} is being stopped and reads no more messages`;
	if (state.answered.has(id)) return `agent ${id} has just answered and reads no more messages`;
	const reached = limitAfter(state, id, from);
	if (isListening(agent) && reached !== undefined)
		return `agent ${id} has no turns left: ${reached.reason}; raise the limit to continue (/limits)`;
	const isAnew = from === null && isTalkedWith(state.run, id) && reached === undefined;
	if (!isListening(agent) && !isAnew && state.reported.has(id))
		return `agent ${id} is making its last call and reads no more messages`;
	if (agent.state.is === "thinking" && !isAnew && !mayAskAgain(state, id))
		return `agent ${id} is making the last call that its limits allow and reads no more messages`;
	if (messages.length >= MAX_WAITING)
		return `${MAX_WAITING} messages are already queued for agent ${id}: wait until it has received them`;
	return undefined;
}

/** The limit because of which the agent would not answer a message that it gets now. */
function limitAfter({ run, ledger }: SupervisorState, id: AgentId, from: Sender): LimitReached | undefined {
	const isAnew = from === null && isTalkedWith(run, id);
	return (isAnew ? totalTurnLimitReached(run, id) : turnLimitReached(run, id)) ?? ledger.refused.get(id);
}

function arrivalAt(agent: Agent): Arrival {
	if (pauseOf(agent) !== undefined) return "pause_end";
	switch (agent.state.is) {
		case "thinking":
			return "answer_end";
		case "running":
		case "waiting":
			if (agent.running.length === 0) return "next_call";
			return lendsSlot(agent) ? "children_end" : "command_end";
		case "queued":
		case "listening":
		case "ended":
			return "next_call";
	}
}

function mayAskAgain({ run, turnsWaiting }: SupervisorState, id: AgentId): boolean {
	return turnLimitReached(run, id, (within) => turnsWaiting.within(within)) === undefined;
}

/** Whether the agent gives its answer with this, and is not going to ask again. */
export function isAnswer(kind: Ask["kind"], outcome: ModelOutcome): boolean {
	if (kind !== "turn" || outcome.is !== "reply") return false;
	const isEnd = outcome.stopReason === "end_turn" || outcome.stopReason === "stop_sequence";
	return isEnd && !outcome.content.some(({ type }) => type === "tool_use");
}

/** Whether the answer is held back: a message waits for the agent, which may make one more turn for it. */
export function isHeldBack(state: SupervisorState, id: AgentId): boolean {
	return state.run.agents[id]?.messages !== undefined && mayAskAgain(state, id);
}

/** The messages that the agent's call carries. A summary is written without them. */
export function messagesFor(state: SupervisorState, id: AgentId, { kind }: Ask): readonly WaitingMessage[] {
	if (kind === "compaction" || (kind === "last" && waitsForTurn(state, id))) return [];
	return state.run.agents[id]?.messages ?? [];
}

/** The ask with the messages behind the results of the agent's commands. What was estimated of it before counts no more. */
export function withMessages(ask: Ask, blocks: readonly UserBlock[]): Ask {
	if (blocks.length === 0) return ask;
	const { promptTokens: _, request, ...rest } = ask;
	const last = request.messages.at(-1);
	const [before, content] =
		last?.role === "user" ? [request.messages.slice(0, -1), withoutGoOn(last.content)] : [request.messages, []];
	const newest: UserMessage = { role: "user", content: [...content, ...blocks] };
	return { ...rest, request: { ...request, messages: [...before, newest] } };
}

/** The message as the agent's model reads it: what the person says in a conversation stands as it is, since all there is theirs. */
export function blockOf(run: RunState, agent: AgentId, { from, text }: WaitingMessage): UserBlock {
	const isPlain = from === null && isTalkedWith(run, agent);
	return { type: "text", text: isPlain ? text.toWellFormed() : markedText(from, text) };
}

export function wordsOfPerson(messages: readonly WaitingMessage[]): string[] {
	return messages.flatMap(({ from, text }) => (from === null ? [text] : []));
}

/** Notes that the call which is started now carries the messages. */
export function deliver(decision: Decision, agent: AgentId, messages: readonly WaitingMessage[]): void {
	if (messages.length === 0) return;
	emit(decision, { event: "message_delivered", agent, messages: messages.length });
	const isTurn = decision.state.asks.get(agent)?.kind === "turn";
	const isAnew = isTalkedWith(decision.state.run, agent) && messages.some(({ from }) => from === null);
	if (isTurn && isAnew) setReported(decision, agent, false); // at the end of its turns it reports once more
	decision.effects.push({ do: "deliver", agent, messages });
}
