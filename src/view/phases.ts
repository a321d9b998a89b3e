/** What agents do at any time, as changes from one phase to the next: few numbers, so that all of a long run can be kept. Pure. */

import { type Doing, doingOf } from "../core/doing.ts";
import { DEFAULT_LIMITS } from "../core/limits/limits.ts";
import { type Agent, type AgentId, isWithin, parentOf } from "../core/model/agent.ts";
import type { RunEvent } from "../core/run/run-event.ts";
import { EMPTY_RUN, type RunState, reduceInPlace } from "../core/run/run-state.ts";

export interface PhaseChange {
	readonly agent: AgentId;
	/** Milliseconds since the epoch. */
	readonly at: number;
	readonly phase: Doing;
	/** The change is to come, unless another one comes first. */
	readonly isExpected?: true;
}

/** Takes the events of a run in order. An agent whose join is missing, since its line is damaged, begins with its next event. */
export class PhaseReader {
	private state: RunState = { ...EMPTY_RUN, agents: {} };
	private readonly phases = new Map<AgentId, Doing>();

	/** The changes that the event brings. */
	note(event: RunEvent): readonly PhaseChange[] {
		const { at } = event;
		const subject = "agent" in event ? event.agent : undefined;
		if (subject !== undefined && event.event !== "agent_joined" && this.state.agents[subject] === undefined)
			this.state = reduceInPlace(this.state, unknownJoin(subject, at));
		this.state = reduceInPlace(this.state, event);
		const changed = subject === undefined ? [] : this.changedBy(event, subject);
		return changed.flatMap((agent) => this.changeOf(agent, at));
	}

	private changedBy(event: RunEvent, subject: AgentId): AgentId[] {
		switch (event.event) {
			case "agent_paused":
			case "agent_continued":
				return Object.keys(this.state.agents).filter((id) => isWithin(id, subject));
			case "agent_joined":
			case "agent_resumed":
			case "agent_ended":
				return [subject, parentOf(subject) ?? subject];
			default:
				return [subject];
		}
	}

	private changeOf(id: AgentId, at: number): PhaseChange[] {
		const agent = this.state.agents[id];
		if (agent === undefined) return [];
		const phase = phaseOf(agent, at);
		const isSame = phase === this.phases.get(id) && phase !== "retrying"; // whose next try may have come meanwhile
		this.phases.set(id, phase);
		const expected = phase === "retrying" ? nextTry(agent) : undefined;
		return [
			...(isSame ? [] : [{ agent: id, at, phase }]),
			...(expected === undefined ? [] : [{ agent: id, at: expected, phase: "thinking", isExpected: true } as const]),
		];
	}
}

/** What the agent does at `at`: the wait for the next try of a call is over when that is made. */
export function phaseOf(agent: Agent, at: number): Doing {
	const doing = doingOf(agent);
	return doing === "retrying" && (nextTry(agent) ?? at) <= at ? "thinking" : doing;
}

function nextTry({ state }: Agent): number | undefined {
	return state.is === "thinking" ? state.retry?.nextAt : undefined;
}

function unknownJoin(agent: AgentId, at: number): RunEvent {
	const unknown = { pid: 0, startTime: "", task: "", model: "", limits: DEFAULT_LIMITS };
	return { event: "agent_joined", at, agent, ...unknown };
}
