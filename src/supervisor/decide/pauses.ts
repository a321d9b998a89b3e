/**
 * Pauses: no agent of a paused branch gets its next call, and its clocks stand still. A hard pause also freezes commands; so
 * that none begins meanwhile, the answer of a call that was under way is kept back. Pure.
 */
import { type AgentId, isOver, parentOf } from "../../core/model/agent.ts";
import type { Sender } from "../../core/model/told-message.ts";
import { isOfPerson, pauseOf } from "../../core/run/pause.ts";
import { livingWithin } from "../../core/run/run-state.ts";
import type { Pause } from "../../core/schemas/run-state.ts";
import { describeEnding } from "../../text/states.ts";
import { type Decision, emit } from "./decision.ts";
import type { DraftMessage } from "./effect.ts";
import { holdClocks } from "./held-clocks.ts";
import type { Input } from "./input.ts";
import { type SupervisorState, touch } from "./supervisor-state.ts";

type Asked = Extract<Input, { is: "pause_asked" | "continue_asked" }>;

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

export function pause(
	decision: Decision,
	{ agent, from, isHard }: Extract<Asked, { is: "pause_asked" }>,
	now: number,
): void {
	const { run } = decision.state;
	const before = pauseOf(run.agents[agent]);
	if (before !== undefined && (before.isHard || !isHard)) return;
	changing(decision, agent, () =>
		emit(decision, { event: "agent_paused", at: now, agent, from, ...(isHard && { isHard }) }),
	);
}

export function goOn(decision: Decision, { agent, from }: { agent: AgentId; from: Sender }, now: number): void {
	const { run } = decision.state;
	const isAnyPaused = livingWithin(run, agent).some((id) => mayLift(run.agents[id]?.paused, from));
	if (!isAnyPaused) return;
	changing(decision, agent, () => emit(decision, { event: "agent_continued", at: now, agent, from }));
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
