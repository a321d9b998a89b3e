/**
 * What the supervisor decides: state and occurrence in, events and effects out. Pure, so every rule of admission,
 * slots and limits can be tried without a process. What is decided here is counted at once: a start or a turn is
 * reserved before its effect is performed.
 */
import { type AgentId, type Ending, isOver, isWithin, parentOf, ROOT } from "../../core/agent.ts";
import type { ModelOutcome } from "../../core/model.ts";
import { preview } from "../../core/preview.ts";
import { agentsInOrder, livingAgents, livingChildrenOf, type RunState } from "../../core/run-state.ts";
import type { Shortage } from "../../core/shortage.ts";
import { totalTokens } from "../../core/usage.ts";
import type { PricedModel } from "../../models/prices.ts";
import { budgetRefusal, keepUnsettled, settleCancelled } from "./call-budget.ts";
import { callEvent } from "./call-event.ts";
import { type Decision, emit, setAsk } from "./decision.ts";
import type { Input, Joining } from "./input.ts";
import { agentBefore, joinRefusal, refuse, startAgent } from "./join.ts";
import { newLedger } from "./ledger.ts";
import { resumeAgent } from "./resume.ts";
import { schedule } from "./scheduler.ts";
import { logsMessage, shortageEvents } from "./shortage-rules.ts";
import { NO_SLOTS, releaseSlot } from "./slots.ts";
import type { SupervisorState } from "./supervisor-state.ts";
import { askTurn, endTurn } from "./turns.ts";

const COMMAND_PREVIEW = 500;

export function initialState(run: RunState, prices: readonly PricedModel[] = []): SupervisorState {
	return { run, slots: NO_SLOTS, asks: {}, reported: [], stops: {}, ledger: newLedger(prices) };
}

export function decide(state: SupervisorState, input: Input, now: number): Decision {
	const decision: Decision = { state, events: [], effects: [] };
	if (input.is === "joined") join(decision, input, now);
	else if (input.is === "shortages") shortages(decision, input.shortages, now);
	else if (input.is === "slowed") emit(decision, callEvent(input, now));
	else if (input.is === "cancelled") cancelled(decision, input, now);
	else if (isKnown(state, input.agent)) handle(decision, input, now);
	keepUnsettled(decision, state);
	schedule(decision, now);
	return decision;
}

function handle(
	decision: Decision,
	input: Exclude<Input, { is: "joined" | "shortages" | "slowed" | "cancelled" }>,
	now: number,
): void {
	const { agent } = input;
	switch (input.is) {
		case "asked":
			return askTurn(decision, input, now);
		case "answered":
			endTurn(decision, input, now);
			return stopWithCall(decision, input.outcome, now);
		case "retrying":
			return emit(decision, callEvent(input, now));
		case "command_started": {
			const { is, text, ...rest } = input;
			return emit(decision, { event: is, at: now, text: preview(text, COMMAND_PREVIEW), ...rest });
		}
		case "command_ended": {
			const { is, ...rest } = input;
			return emit(decision, { event: is, at: now, ...rest });
		}
		case "repeats": {
			const { is: _, ...rest } = input;
			return emit(decision, { event: "agent_repeats", at: now, ...rest });
		}
		case "recorded":
			return recorded(decision, input, now);
		case "finished":
			return end(decision, input, now);
		case "gone":
			return end(decision, { ...input, ending: endingOfGone(decision, input) }, now);
		case "stop_asked":
			return stop(decision, agent, input.ending, now);
	}
}

function endingOfGone(decision: Decision, gone: Extract<Input, { is: "gone" }>): Ending {
	return gone.cameFirst ? gone.ending : (decision.state.stops[gone.agent] ?? gone.ending);
}

/** Charged also when its agent has ended before. */
function cancelled(decision: Decision, input: Extract<Input, { is: "cancelled" }>, now: number): void {
	settleCancelled(decision, input.agent);
	if (totalTokens(input.usage) > 0) emit(decision, callEvent(input, now));
}

function recorded(decision: Decision, { agent, entry }: Extract<Input, { is: "recorded" }>, now: number): void {
	if (entry.role !== "note") return;
	const { how, tokens_before: tokensBefore, tokens_after: tokensAfter } = entry;
	emit(decision, { event: "history_compacted", at: now, agent, how, tokensBefore, tokensAfter });
}

function join(decision: Decision, input: Joining, now: number): void {
	const { run } = decision.state;
	const refusal = joinRefusal(run, input) ?? budgetRefusal(decision.state, input);
	if (refusal !== undefined) return refuse(decision, input, refusal, now);
	const before = agentBefore(run, input);
	const agent = before === undefined ? startAgent(decision, input, now) : resumeAgent(decision, input, before, now);
	const logs = logsMessage(run.shortages);
	if (!logs.mayWrite) decision.effects.push({ do: "tell", agent, message: logs });
	tellChildren(decision, agent);
}

/** Whatever still lives below it is stopped. An agent that finished may still be printing its answer. */
function end(decision: Decision, over: Extract<Input, { is: "finished" | "gone" }>, now: number): void {
	const { agent, ending } = over;
	emit(decision, { event: "agent_ended", at: now, agent, ending });
	if (decision.state.asks[agent]?.isCalling) decision.effects.push({ do: "cancel_call", agent });
	setAsk(decision, agent, undefined);
	decision.state = { ...decision.state, slots: releaseSlot(decision.state.slots, agent) };
	tellChildren(decision, agent);
	const left = agentsBelow(decision.state.run, agent).filter((id) => id !== agent);
	for (const below of left) if (parentOf(below) === agent) stop(decision, below, endingBelow(agent, ending), now);
	decision.effects.push({ do: "end", agent, isGone: over.is === "gone" });
}

function shortages(decision: Decision, now: readonly Shortage[], at: number): void {
	for (const event of shortageEvents(decision.state.run.shortages, now, at)) emit(decision, event);
	for (const agent of livingAgents(decision.state.run))
		decision.effects.push({ do: "tell", agent, message: logsMessage(now) });
}

/** Closes admission for the subtree first, then tells every agent in it. */
function stop(decision: Decision, root: AgentId, ending: Ending, now: number): void {
	const { run } = decision.state;
	if (run.closed.includes(root)) return;
	const reason = "reason" in ending ? ending.reason : ending.by;
	if (root === ROOT) emit(decision, { event: "run_stopping", at: now, reason });
	emit(decision, { event: "agent_stopping", at: now, agent: root, reason });
	for (const agent of agentsBelow(run, root)) {
		if (decision.state.asks[agent]?.isCalling) decision.effects.push({ do: "cancel_call", agent });
		setAsk(decision, agent, undefined);
		if (!decision.state.slots.active.includes(agent))
			decision.state = { ...decision.state, slots: releaseSlot(decision.state.slots, agent) };
		const ownEnding = decision.state.stops[agent] ?? (agent === root ? ending : endingBelow(root, ending));
		decision.state = { ...decision.state, stops: { ...decision.state.stops, [agent]: ownEnding } };
		decision.effects.push({ do: "tell", agent, message: { say: "stop", ending: ownEnding } });
	}
	decision.effects.push({ do: "end_after_grace", agent: root });
}

/** A key that is refused, or no credit: no call of the run could be answered, so none is made any more. */
function stopWithCall(decision: Decision, outcome: ModelOutcome, now: number): void {
	if (outcome.is === "reply" || !outcome.stopsRun) return;
	const { reason, exitCode } = outcome;
	stop(decision, ROOT, { by: "failure", reason, exitCode }, now);
}

function endingBelow(above: AgentId, ending: Ending): Ending {
	return {
		by: "stopped",
		reason: `agent ${above} above it ended (${ending.by})`,
		signal: ending.by === "stopped" ? ending.signal : 15,
	};
}

/** Tells the parent how many child agents of the command live, so that its clock stands still meanwhile. */
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

/** The living agents at and below `root`, in tree order. */
function agentsBelow(run: RunState, root: AgentId): AgentId[] {
	return agentsInOrder(run)
		.filter((agent) => isWithin(agent.id, root) && !isOver(agent))
		.map((agent) => agent.id);
}
