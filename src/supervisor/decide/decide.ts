/**
 * What the supervisor decides: state and input in, events and effects out. Nothing else is read or done, so every rule of
 * admission, slots and limits can be tested without a process. A decision is counted at once: a start or a turn is
 * reserved before its effect is performed.
 */

import type { Shortage } from "../../core/limits/shortage.ts";
import { type AgentId, compareAgentIds, type Ending, isOver, parentOf, ROOT } from "../../core/model/agent.ts";
import type { ModelOutcome } from "../../core/model/model.ts";
import { totalTokens } from "../../core/model/usage.ts";
import { preview } from "../../core/preview.ts";
import { branchOf } from "../../core/run/agent-index.ts";
import { livingAgents, livingChildrenOf, livingWithin } from "../../core/run/run-state.ts";
import { unheardBy } from "../../core/run/waiting-messages.ts";
import { budgetRefusal, settleCancelled, withdrawAsk } from "./call-budget.ts";
import { endingBelow, endingOf, endTimeAbove, tellTime } from "./endings.ts";
import type { Input, InputOf, Joining } from "./inputs-and-effects.ts";
import { agentToResume, joinRefusal, refuse, resumeAgent, startAgent } from "./join.ts";
import { answerKept, change, close, compact, interrupt, letGoOn, listen, withdraw } from "./listening.ts";
import { freezeStarted, goOn, holdTimes, pause, tellIfPaused, thawForStop } from "./pauses.ts";
import { answer, ask, beginAside, endAside, withdrawQuestion, withdrawQuestions } from "./questions.ts";
import { logsMessage, schedule, shortageEvents } from "./scheduler.ts";
import { type Decision, emit, type SupervisorState, touch } from "./supervisor-state.ts";
import { askTurn, endTurn } from "./turns.ts";

const COMMAND_PREVIEW = 500;

/** Decides about one input. `state` is changed in place, and is the state of the decision. */
export function decide(state: SupervisorState, input: Input, now: number): Decision {
	const decision: Decision = { state, now, events: [], effects: [] };
	if (input.is === "joined") join(decision, input);
	else if (input.is === "shortages") shortages(decision, input.shortages);
	else if (input.is === "slowed") slowed(decision, input);
	else if (input.is === "cancelled") cancelled(decision, input);
	else if (input.is === "aside_ended") endAside(decision, input);
	else if (isKnown(state, input.agent)) handle(decision, input);
	schedule(decision);
	holdTimes(decision);
	return decision;
}

function handle(
	decision: Decision,
	input: Exclude<Input, { is: "joined" | "shortages" | "slowed" | "cancelled" | "aside_ended" }>,
): void {
	const { agent } = input;
	switch (input.is) {
		case "asked":
			return askTurn(decision, input);
		case "answered":
			endTurn(decision, input);
			return stopIfFatal(decision, input.outcome);
		case "retrying":
			return retrying(decision, input);
		case "command_started":
			return commandStarted(decision, input);
		case "command_ended": {
			const { is, ...rest } = input;
			return emit(decision, { event: is, ...rest });
		}
		case "repeats": {
			const { is: _, ...rest } = input;
			return emit(decision, { event: "agent_repeats", ...rest });
		}
		case "recorded":
			return recorded(decision, input);
		case "listens":
		case "interrupt_asked":
		case "withdraw_asked":
		case "change_asked":
		case "compact_asked":
		case "aside_asked":
		case "close_asked":
			return talk(decision, input);
		case "time_noticed":
		case "time_short":
			return tellTime(decision, input);
		case "finished":
		case "gone":
			return end(decision, { ...input, ending: endingOf(decision.state, input) });
		case "stop_asked":
			return stop(decision, agent, input.ending);
		case "pause_asked":
			return pause(decision, input);
		case "continue_asked":
			return goOn(decision, input);
		case "todo_changed":
			return emit(decision, { event: input.is, agent, items: [...input.items] });
		case "question_asked":
		case "question_withdrawn":
		case "question_answered":
		case "question_refused":
			return questioned(decision, input);
		case "asker_works":
			return askerWorks(decision.state, input);
		case "message":
			return send(decision, input);
	}
}

function commandStarted(decision: Decision, { is, text, ...rest }: InputOf<"command_started">): void {
	decision.state.answered.delete(rest.agent);
	freezeStarted(decision, rest.agent);
	emit(decision, { event: is, text: preview(text, COMMAND_PREVIEW), ...rest });
}

function send(decision: Decision, { is: _, ...sent }: InputOf<"message">): void {
	emit(decision, { event: "message_sent", ...sent });
	letGoOn(decision, sent.agent);
}

function questioned(decision: Decision, input: Extract<Input, { is: `question_${string}` }>): void {
	switch (input.is) {
		case "question_asked":
			return ask(decision, input);
		case "question_refused": {
			const { is, ...refused } = input;
			return emit(decision, { event: is, ...refused });
		}
		case "question_withdrawn":
			return withdrawQuestion(decision, input);
		case "question_answered":
			return answered(decision, input);
	}
}

function askerWorks(state: SupervisorState, { agent, works }: InputOf<"asker_works">): void {
	if (works && state.run.agents[agent]?.asking !== undefined) state.working.add(agent);
	else state.working.delete(agent);
	touch(state, agent); // it has no slot while it asks, and wants one now
}

function answered(decision: Decision, input: InputOf<"question_answered">): void {
	const { agent, answer: given } = input;
	if (!answer(decision, input) || given.is !== "stop") return;
	const words = given.words === undefined ? "" : `: ${given.words}`;
	const reason = `in answer to question ${input.question}${words}`;
	stop(decision, agent, { by: "stopped", reason, signal: 15 });
}

function retrying(decision: Decision, { is: _, ...call }: InputOf<"retrying">): void {
	emit(decision, { event: "turn_retrying", ...call });
}

function slowed(decision: Decision, { is: _, ...service }: InputOf<"slowed">): void {
	emit(decision, { event: "calls_slowed", ...service });
}

/** A cancelled call is charged even when its agent has ended before. */
function cancelled(decision: Decision, input: InputOf<"cancelled">): void {
	const { is: _, kept, ...call } = input;
	const { agent, usage } = call;
	if (kept === undefined) settleCancelled(decision, agent);
	if (kept !== undefined || totalTokens(usage) > 0) emit(decision, { event: "turn_cancelled", ...call });
	if (kept !== undefined) answerKept(decision, agent, { content: kept, usage });
}

function recorded(decision: Decision, { agent, entry }: InputOf<"recorded">): void {
	if (entry.role !== "note") return;
	const { how, tokensBefore, tokensAfter } = entry;
	emit(decision, { event: "history_compacted", agent, how, tokensBefore, tokensAfter });
}

function join(decision: Decision, input: Joining): void {
	const { run } = decision.state;
	const refusal = joinRefusal(run, input) ?? budgetRefusal(decision.state, input);
	if (refusal !== undefined) return refuse(decision, input, refusal);
	const before = agentToResume(run, input);
	const agent = before === undefined ? startAgent(decision, input) : resumeAgent(decision, input, before);
	const logs = logsMessage(run.shortages);
	if (!logs.mayWrite) decision.effects.push({ do: "tell", agent, message: logs });
	tellIfPaused(decision, agent);
	tellChildren(decision, agent);
}

/** Ends the agent, and stops what still lives below it. Its process may still be printing the answer. */
function end(decision: Decision, over: InputOf<"finished" | "gone">): void {
	const { agent, ending } = over;
	withdrawQuestions(decision, agent);
	emit(decision, { event: "agent_ended", agent, ending });
	for (const event of unheardBy(decision.state.run.agents[agent], decision.now)) emit(decision, event);
	withdrawAsk(decision, agent);
	decision.state.slots.release(agent);
	decision.state.answered.delete(agent);
	decision.state.keptBack.delete(agent);
	decision.state.interrupted.delete(agent);
	const outOfTime = decision.state.outOfTime.get(agent);
	decision.state.outOfTime.delete(agent);
	decision.state.goingOn.delete(agent);
	tellChildren(decision, agent);
	if (outOfTime !== undefined) endTimeAbove(decision, agent, outOfTime);
	const left = [...branchOf(decision.state.run.agents, agent).livingChildren].sort(compareAgentIds);
	for (const below of left) stop(decision, below, endingBelow(agent, ending));
	decision.effects.push({ do: "end", agent, isGone: over.is === "gone" });
}

function shortages(decision: Decision, now: readonly Shortage[]): void {
	for (const event of shortageEvents(decision.state.run.shortages, now, decision.now)) emit(decision, event);
	for (const agent of livingAgents(decision.state.run))
		decision.effects.push({ do: "tell", agent, message: logsMessage(now) });
}

/** Closes admission for the subtree first, then tells every agent in it to stop. */
function stop(decision: Decision, root: AgentId, ending: Ending): void {
	const { run, slots, stops } = decision.state;
	if (run.closed.includes(root)) return;
	const reason = "reason" in ending ? ending.reason : ending.by;
	if (root === ROOT) emit(decision, { event: "run_stopping", reason });
	emit(decision, { event: "agent_stopping", agent: root, reason });
	const living = livingWithin(run, root);
	thawForStop(decision, living);
	for (const agent of living) {
		withdrawAsk(decision, agent);
		if (!slots.active.has(agent)) slots.release(agent);
		const ownEnding = stops.get(agent) ?? (agent === root ? ending : endingBelow(root, ending));
		stops.set(agent, ownEnding);
		decision.effects.push({ do: "tell", agent, message: { say: "stop", ending: ownEnding } });
	}
	decision.effects.push({ do: "end_after_grace", agent: root });
}

/** Stops the run, if it is no conversation, when the key is refused or there is no credit: no further call could be answered. */
function stopIfFatal(decision: Decision, outcome: ModelOutcome): void {
	if (outcome.is === "reply" || !outcome.stopsRun) return;
	if (decision.state.run.isConversation) return; // the person is told, and may have another try
	const { reason, exitCode } = outcome;
	stop(decision, ROOT, { by: "failure", reason, exitCode });
}

/** Tells the parent how many child agents of its command live, so that the command's timeout stands still meanwhile. */
function tellChildren(decision: Decision, child: AgentId): void {
	const parent = parentOf(child);
	const command = decision.state.run.agents[child]?.command;
	if (parent === undefined || command === undefined) return;
	const alive = livingChildrenOf(decision.state.run, parent, command);
	decision.effects.push({ do: "tell", agent: parent, message: { say: "children", command, alive } });
}

function isKnown(state: SupervisorState, id: AgentId): boolean {
	const agent = state.run.agents[id];
	return agent !== undefined && !isOver(agent);
}

/** What comes of a conversation between a person and the root of its run. Pure. */

type Talk = Extract<
	Input,
	{
		is: "listens" | `${"interrupt" | "withdraw" | "change" | "compact" | "aside" | "close"}_asked`;
	}
>;

function talk(decision: Decision, input: Talk): void {
	switch (input.is) {
		case "listens":
			return listen(decision, input);
		case "interrupt_asked":
			return interrupt(decision, input.agent);
		case "withdraw_asked":
			return withdraw(decision, input.agent);
		case "change_asked":
			return change(decision, input);
		case "compact_asked":
			return compact(decision, input.agent);
		case "aside_asked":
			return beginAside(decision, input);
		case "close_asked":
			return close(decision);
	}
}
