/**
 * What the supervisor decides: state and input in, events and effects out. Nothing else is read or done, so every rule of
 * admission, slots and limits can be tested without a process. A decision is counted at once: a start or a turn is
 * reserved before its effect is performed.
 */

import type { Shortage } from "../../core/limits/shortage.ts";
import {
	type AgentId,
	compareAgentIds,
	type Ending,
	isOver,
	isWithin,
	parentOf,
	ROOT,
	withAncestors,
} from "../../core/model/agent.ts";
import type { ModelOutcome } from "../../core/model/model.ts";
import { totalTokens } from "../../core/model/usage.ts";
import { preview } from "../../core/preview.ts";
import { branchOf } from "../../core/run/agent-index.ts";
import { livingAgents, livingChildrenOf, livingWithin } from "../../core/run/run-state.ts";
import { unheardBy } from "../../core/run/waiting-messages.ts";
import { budgetRefusal, settleCancelled, withdrawAsk } from "./call-budget.ts";
import type { Input, InputOf, Joining } from "./inputs-and-effects.ts";
import { agentToResume, joinRefusal, refuse, resumeAgent, startAgent } from "./join.ts";
import { answerKept, change, close, compact, interrupt, isTalkedWith, letGoOn, listen, withdraw } from "./listening.ts";
import { freezeStarted, goOn, holdTimes, pause, tellIfPaused, thawForStop } from "./pauses.ts";
import { answer, ask, beginAside, endAside, withdrawQuestion, withdrawQuestions } from "./questions.ts";
import { logsMessage, schedule, shortageEvents } from "./scheduler.ts";
import type { OutOfTime } from "./supervisor-state.ts";
import { type Decision, emit, refuseAsk, type SupervisorState, touch } from "./supervisor-state.ts";
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

/** How an agent ended: the first cause wins, and what has ended it with a command of one above it is that one's cause. Pure. */

type Over = InputOf<"finished" | "gone">;

function endingOf(state: SupervisorState, over: Over): Ending {
	if (over.is === "finished") return endingOfFinished(state, over);
	return over.cameFirst ? over.ending : (state.stops.get(over.agent) ?? over.ending);
}

/**
 * An interruption of the root ends the agents below its commands by a signal. A stop of the tree reaches an agent twice, as a message and as the SIGTERM that the agent above sends to its commands.
 * Whichever comes first, the ending is the one that the agent was told.
 */
function endingOfFinished(state: SupervisorState, { agent, ending }: Over): Ending {
	if (ending.by !== "stopped") return ending;
	const interrupted = withAncestors(agent).find((above) => state.interrupted.has(above));
	const byPerson =
		interrupted === undefined ? undefined : { ...ending, reason: `the person interrupted agent ${interrupted}` };
	return state.stops.get(agent) ?? byPerson ?? limitBelow(state, agent) ?? ending;
}

/** Of agents below one that is stopped. */
function endingBelow(above: AgentId, ending: Ending): Ending {
	return {
		by: "stopped",
		reason: `agent ${above} above it ended (${ending.by})`,
		signal: ending.by === "stopped" ? ending.signal : 15,
	};
}

/**
 * The end of an agent's time. Before it the agent is told how much is left; shortly before it its commands are ended, and it makes one
 * last call, to report. Pure.
 */

function tellTime(decision: Decision, input: Extract<Input, { is: `time_${string}` }>): void {
	if (input.is === "time_short") endTime(decision, input);
	else noticeTime(decision, input);
}

/** The agent is told with its next answer. */
function noticeTime(decision: Decision, { agent, reason }: InputOf<"time_noticed">): void {
	const { toTell } = decision.state.ledger;
	emit(decision, { event: "budget_noticed", agent, reason });
	const note = `${reason}. Shortly before the end your commands are stopped, and you can only report: do what matters most now.`;
	toTell.set(agent, [...(toTell.get(agent) ?? []), note]);
}

/** A call under way may still give the answer. One that has not begun is not made. */
function endTime(decision: Decision, { agent, reached, holder }: Omit<InputOf<"time_short">, "is">): void {
	const { outOfTime, stops, answered, reported, asks } = decision.state;
	if (outOfTime.has(agent) || stops.has(agent) || answered.has(agent) || reported.has(agent)) return;
	outOfTime.set(agent, { reached, holder });
	const { reason } = reached;
	emit(decision, {
		event: "budget_noticed",
		agent,
		reason: `${reason}: the remaining time is only enough for a report`,
	});
	decision.effects.push({ do: "tell", agent, message: { say: "out_of_time", reason } });
	const ask = asks.get(agent);
	if (ask?.kind === "turn" && !ask.isCalling) refuseAsk(decision, agent, reached);
}

/** To be called when an agent has ended whose time was over. Who waited for its report may only report, too, and begins nothing any more. */
function endTimeAbove(decision: Decision, agent: AgentId, { reached, holder }: OutOfTime): void {
	const { run } = decision.state;
	const above = parentOf(agent);
	if (above === undefined || !isWithin(above, holder) || isTalkedWith(run, above)) return;
	if (branchOf(run.agents, above).livingChildren.size === 0) endTime(decision, { agent: above, reached, holder });
}

/** What ended an agent that was ended with a command of one above it, whose time was over. */
function limitBelow({ outOfTime }: SupervisorState, agent: AgentId): Ending | undefined {
	const holder = withAncestors(agent).find((above) => above !== agent && outOfTime.has(above));
	const over = holder === undefined ? undefined : outOfTime.get(holder);
	return over && { by: "limit", ...over.reached };
}
