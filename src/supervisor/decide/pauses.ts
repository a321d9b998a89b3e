/**
 * Pauses: no agent of a paused branch gets its next call, and its clocks stand still. A hard pause also freezes commands; so
 * that none begins meanwhile, the answer of a call that was under way is kept back. Pure.
 */

import { type Agent, type AgentId, isOver, parentOf, withAncestors } from "../../core/model/agent.ts";
import type { Sender } from "../../core/model/message-marks.ts";
import { isOfPerson, pauseOf } from "../../core/run/pause.ts";
import { livingWithin } from "../../core/run/run-state.ts";
import { lendsSlot } from "../../core/run/turn-state.ts";
import type { Pause } from "../../core/schemas/run-state.ts";
import { describeEnding } from "../../text/describe-ending.ts";
import type { DraftMessage, InputOf } from "./inputs-and-effects.ts";
import { type Decision, emit, type SupervisorState, touch } from "./supervisor-state.ts";

type Asked = InputOf<"pause_asked" | "continue_asked">;

/** Why nothing can be asked of the agent, or not any more; undefined when it lives, and is to go on living. */
export function goneRefusal({ run, stops }: SupervisorState, id: AgentId): string | undefined {
	const agent = run.agents[id];
	if (agent === undefined) return `this run has no agent ${id}; see agent ps`;
	if (isOver(agent)) return `agent ${id} has ended: ${describeEnding(agent.state.ending)}`;
	return stops.has(id) ? `agent ${id} is being stopped` : undefined;
}

/** Why the agent cannot be paused or let go on; undefined when it can. */
export function pauseRefusal(state: SupervisorState, { agent: id, from }: Asked): string | undefined {
	const { run } = state;
	const gone = goneRefusal(state, id);
	if (gone !== undefined) return gone;
	if (from !== null && isOfPerson(run.agents[id]?.paused))
		return `a person paused agent ${id}, and only a person can continue it`;
	const above = pauseOf(run.agents[parentOf(id) ?? ""]);
	if (above === undefined) return undefined;
	return `agent ${id} is paused with agent ${above.by}; to continue both: agent continue ${above.by}`;
}

export function pause(decision: Decision, { agent, from, isHard }: Extract<Asked, { is: "pause_asked" }>): void {
	const { run } = decision.state;
	const before = pauseOf(run.agents[agent]);
	if (before !== undefined && (before.isHard || !isHard)) return;
	changing(decision, agent, () => emit(decision, { event: "agent_paused", agent, from, ...(isHard && { isHard }) }));
}

export function goOn(decision: Decision, { agent, from }: { agent: AgentId; from: Sender }): void {
	const { run } = decision.state;
	const isAnyPaused = livingWithin(run, agent).some((id) => mayLift(run.agents[id]?.paused, from));
	if (!isAnyPaused) return;
	changing(decision, agent, () => emit(decision, { event: "agent_continued", agent, from }));
}

function mayLift(paused: Pause | undefined, from: Sender): boolean {
	return paused !== undefined && (from === null || !isOfPerson(paused));
}

/** Tells each living agent of the branch for which the event changes something. */
function changing(decision: Decision, root: AgentId, event: () => void): void {
	const { state, effects } = decision;
	const living = livingWithin(state.run, root);
	const before = new Map(living.map((id) => [id, pauseOf(state.run.agents[id])]));
	event();
	const changed = living.map((id) => ({ id, was: before.get(id), is: pauseOf(state.run.agents[id]) }));
	const [frozen, thawed] = [[] as AgentId[], [] as AgentId[]];
	for (const { id, was, is } of changed) {
		if (is?.isHard && !was?.isHard) frozen.push(id);
		if (!is?.isHard && was?.isHard) thawed.push(id);
		if ((was === undefined) !== (is === undefined)) holdClocks(decision, id);
		if (!is?.isHard) giveKept(decision, id);
		touch(state, id);
	}
	if (thawed.length > 0) effects.push({ do: "thaw", agents: thawed });
	if (frozen.length > 0) effects.push({ do: "freeze", agents: frozen });
}

/** Tells an agent that has just been admitted when it has joined a paused branch. */
export function tellIfPaused(decision: Decision, agent: AgentId): void {
	if (pauseOf(decision.state.run.agents[agent]) !== undefined) holdClocks(decision, agent);
}

/** Tells the agent its call's outcome, unless it is paused hard: then it gets that when it goes on. */
export function tellOutcome({ state, effects }: Decision, agent: AgentId, message: DraftMessage): void {
	if (pauseOf(state.run.agents[agent])?.isHard) state.keptBack.set(agent, message);
	else effects.push({ do: "tell", agent, message });
}

/** Gives the agent what was kept back from it. */
export function giveKept({ state, effects }: Decision, agent: AgentId): void {
	const message = state.keptBack.get(agent);
	if (message === undefined) return;
	state.keptBack.delete(agent);
	effects.push({ do: "tell", agent, message });
}

/** Before a stop: what is frozen could not end by itself, and an answer that was kept back is the agent's last words. */
export function thawForStop(decision: Decision, agents: readonly AgentId[]): void {
	const frozen = agents.filter((id) => pauseOf(decision.state.run.agents[id])?.isHard);
	if (frozen.length > 0) decision.effects.push({ do: "thaw", agents: frozen });
	for (const agent of agents) giveKept(decision, agent);
}

/** A command that was about to start when its agent was paused hard. */
export function freezeStarted({ state, effects }: Decision, agent: AgentId): void {
	if (pauseOf(state.run.agents[agent])?.isHard && !state.stops.has(agent))
		effects.push({ do: "freeze", agents: [agent] });
}

/** A paused agent that waits for its call, or whose commands are frozen, leaves its slot to others. */
export function restsInPause({ run, asks }: SupervisorState, id: AgentId): boolean {
	const agent = run.agents[id];
	const paused = pauseOf(agent);
	if (agent === undefined || paused === undefined || asks.get(id)?.isCalling) return false;
	return agent.running.length === 0 || paused.isHard === true;
}

/**
 * Clocks that stand still: those of an agent that is paused or asks a person, and the time of all above one that asks. A question holds them
 * only while nothing else is done: nobody works on behind a question that is left open. Pure.
 */

/** Whether an agent that asks works on all the same: it has a call, or a process of its commands computes. */
export function worksOn({ working }: Pick<SupervisorState, "working">, { id, state }: Agent): boolean {
	return state.is === "thinking" || working.has(id);
}

/** Whether the time of the agent's own limit stands still, whatever else holds it. */
export function isTimeHeld(state: SupervisorState, agent: AgentId): boolean {
	return pauseOf(state.run.agents[agent]) !== undefined || heldByQuestions(state).has(agent);
}

/** The agents at or below which one asks, and none works. */
function heldByQuestions(state: SupervisorState): ReadonlySet<AgentId> {
	const { run } = state;
	const held = new Set((run.questions ?? []).flatMap(({ agent }) => withAncestors(agent)));
	if (held.size === 0) return held;
	for (const agent of Object.values(run.agents))
		if (isBusy(state, agent)) for (const above of withAncestors(agent.id)) held.delete(above);
	return held;
}

/** One that waits for others (a slot, children, a message) is not. */
function isBusy(state: SupervisorState, agent: Agent): boolean {
	if (isOver(agent) || pauseOf(agent) !== undefined) return false;
	if (agent.asking !== undefined) return worksOn(state, agent);
	return agent.state.is === "thinking" || (agent.state.is === "running" && !lendsSlot(agent));
}

/** After a change: the time of each holder, and the clocks of the agent's commands, stand still or go on as the run has it now. */
export function holdClocks(decision: Decision, agent: AgentId, holders: readonly AgentId[] = [agent]): void {
	const { state, effects } = decision;
	const { agents } = state.run;
	if (agents[agent]?.asking === undefined) state.working.delete(agent);
	for (const holder of holders) holdTime(decision, holder, isTimeHeld(state, holder));
	const isPaused = pauseOf(agents[agent]) !== undefined || agents[agent]?.asking !== undefined;
	effects.push({ do: "tell", agent, message: { say: "pause", isPaused } });
}

/** While a question is open: the time of those above it stands still or goes on as others begin to work, or work no more. */
export function holdTimes(decision: Decision): void {
	const { state } = decision;
	const { questions = [] } = state.run;
	if (questions.length === 0) return;
	const held = heldByQuestions(state);
	for (const holder of new Set(questions.flatMap(({ agent }) => withAncestors(agent)))) {
		const isHeld = held.has(holder) || pauseOf(state.run.agents[holder]) !== undefined;
		if (state.timeHeld.get(holder) !== isHeld) holdTime(decision, holder, isHeld);
	}
}

function holdTime({ state, effects }: Decision, holder: AgentId, isHeld: boolean): void {
	const isListening = state.run.agents[holder]?.state.is === "listening"; // its time stands still anyway
	state.timeHeld.set(holder, isHeld);
	effects.push({ do: "hold_time", agent: holder, isHeld: isListening || isHeld });
}
