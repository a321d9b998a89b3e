/**
 * Clocks that stand still: those of an agent that is paused or asks a person, and the time of all above one that asks. A question holds them
 * only while nothing else is done: nobody works on behind a question that is left open. Pure.
 */
import { type Agent, type AgentId, isOver, withAncestors } from "../../core/model/agent.ts";
import { pauseOf } from "../../core/run/pause.ts";
import { lendsSlot } from "../../core/run/turn-state.ts";
import type { Decision } from "./decision.ts";
import type { SupervisorState } from "./supervisor-state.ts";

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
