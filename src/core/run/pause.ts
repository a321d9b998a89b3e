/**
 * Pauses. A pause is set on an agent and is one of all below it, too, also of what joins there later; it lasts until
 * somebody lets them go on, whatever becomes of supervisors and processes meanwhile. What a person has paused, no agent
 * lets go on. Pure.
 */
import { type Agent, type AgentId, isOver, isWithin } from "../model/agent.ts";
import type { RunEvent } from "../schemas/run-event.ts";
import type { Pause } from "../schemas/run-state.ts";
import type { Agents } from "./agent-index.ts";

export type PauseEvent = Extract<RunEvent, { event: "agent_paused" | "agent_continued" }>;

export function isPauseEvent(event: RunEvent): event is PauseEvent {
	return event.event === "agent_paused" || event.event === "agent_continued";
}

/** The agents that the event changes, as they are after it. */
export function afterPauseEvent(agents: Agents, event: PauseEvent): Agent[] {
	return Object.values(agents).flatMap((agent) => {
		if (!isWithin(agent.id, event.agent)) return [];
		return event.event === "agent_paused" ? paused(agent, event) : wentOn(agent, event);
	});
}

function paused(
	agent: Agent,
	{ agent: by, at, from, isHard }: Extract<PauseEvent, { event: "agent_paused" }>,
): Agent[] {
	if (isOfPerson(agent.paused) && from !== null) return [];
	const since = agent.paused?.by === by ? agent.paused.since : at;
	return [{ ...agent, paused: { by, since, from, ...(isHard && { isHard }) } }];
}

function wentOn(agent: Agent, { from }: Extract<PauseEvent, { event: "agent_continued" }>): Agent[] {
	const { paused: before, ...rest } = agent;
	return before === undefined || (isOfPerson(before) && from !== null) ? [] : [rest];
}

export function isOfPerson(pause: Pause | undefined): boolean {
	return pause?.from === null;
}

/** The pause of a living agent; undefined when there is none. */
export function pauseOf(agent: Agent | undefined): Pause | undefined {
	return agent === undefined || isOver(agent) ? undefined : agent.paused;
}

/** What an agent that joins below `parent` has of its pause. */
export function inheritedPause(agents: Agents, parent: AgentId | undefined): Pick<Agent, "paused"> | undefined {
	const pause = agents[parent ?? ""]?.paused;
	return pause === undefined ? undefined : { paused: pause };
}
