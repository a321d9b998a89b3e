/** What all agents of a run did over time, and how many did what: from its events, in order. Pure. */

import { type Agent, type AgentId, isOver, parentOf } from "../../core/model/agent.ts";
import { roundDollars } from "../../core/model/usage.ts";
import { afterPauseEvent, isPauseEvent } from "../../core/run/pause.ts";
import type { RunEvent } from "../../core/run/run-event.ts";
import { EMPTY_RUN, type RunState, reduceInPlace } from "../../core/run/run-state.ts";
import { type AgentTimeline, TimelineBuilder } from "./agent-timeline.ts";

/** How many agents there are of each kind from `at` on, and what is spent by then, as far as prices are known. */
export interface Sample {
	readonly at: number;
	/** Agents that wait for a slot. */
	readonly queued: number;
	/** Agents that think or run commands: each of them has a slot. */
	readonly active: number;
	/** Agents that wait for agents below them. */
	readonly waiting: number;
	readonly costUsd: number;
}

export interface RunTimeline {
	readonly agents: ReadonlyMap<AgentId, AgentTimeline>;
	readonly samples: readonly Sample[];
}

type Kind = "queued" | "active" | "waiting";

export class RunTimelineBuilder {
	private state: RunState = { ...EMPTY_RUN, agents: {} };
	private readonly builders = new Map<AgentId, TimelineBuilder>();
	private readonly counts: Record<Kind, number> = { queued: 0, active: 0, waiting: 0 };
	private readonly samples: Sample[] = [];
	private costUsd = 0;
	private lastAt = 0;

	note(event: RunEvent): void {
		const ids = "agent" in event && event.agent !== undefined ? [event.agent, parentOf(event.agent) ?? ""] : [];
		for (const id of ids) this.count(this.state.agents[id], -1);
		const paused = isPauseEvent(event) ? afterPauseEvent(this.state.agents, event) : [];
		this.state = reduceInPlace(this.state, event);
		for (const id of ids) this.count(this.state.agents[id], 1);
		for (const agent of paused) this.takePause(agent, event.at);
		if ("costUsd" in event) this.costUsd = roundDollars(this.costUsd + (event.costUsd ?? 0));
		this.take(event);
		this.sample(event.at);
		this.lastAt = event.at;
	}

	/** `state`: the run as its files and the process table tell it. What is under way goes on until `now`. */
	build(state: RunState, now: number): RunTimeline {
		const agents = Object.values(state.agents).map((agent): [AgentId, AgentTimeline] => {
			const builder = this.of(agent.id);
			if (isOver(agent)) builder.ended(agent.state.at);
			return [agent.id, builder.build(now)];
		});
		return { agents: new Map(agents), samples: this.samples };
	}

	/** Other events take no time. */
	private take(event: RunEvent): void {
		if (event.event === "agent_joined" || event.event === "agent_resumed") return this.takeJoin(event);
		if (event.event === "agent_ended") return this.takeEnd(event);
		if (event.event === "run_resumed") return this.takeResume();
		if (event.event === "run_forked") return this.takeFork();
		if ("agent" in event && event.agent !== undefined) this.of(event.agent).take(event);
	}

	private takeJoin({ agent, at, command }: Extract<RunEvent, { event: "agent_joined" | "agent_resumed" }>): void {
		this.of(agent).queued(at);
		this.takePause(this.state.agents[agent], at);
		if (command !== undefined) this.parent(agent)?.childJoined(agent, command, at);
	}

	/** A supervisor that was killed wrote no end. */
	private takeResume(): void {
		for (const builder of this.builders.values()) builder.ended(this.lastAt);
	}

	/** What was spent, and what waited, is the first run's. */
	private takeFork(): void {
		this.costUsd = 0;
		for (const builder of this.builders.values()) builder.copied();
	}

	private takeEnd({ agent, at }: Extract<RunEvent, { event: "agent_ended" }>): void {
		this.of(agent).ended(at);
		this.parent(agent)?.childEnded(agent, at);
	}

	/** A pause of an agent that has ended counts when it goes on. */
	private takePause(agent: Agent | undefined, at: number): void {
		if (agent === undefined || isOver(agent)) return;
		if (agent.paused === undefined) this.of(agent.id).continued(at);
		else this.of(agent.id).paused(at, agent.paused.isHard === true);
	}

	private of(agent: AgentId): TimelineBuilder {
		const known = this.builders.get(agent);
		if (known !== undefined) return known;
		const made = new TimelineBuilder();
		this.builders.set(agent, made);
		return made;
	}

	private parent(child: AgentId): TimelineBuilder | undefined {
		const parent = parentOf(child);
		return parent === undefined ? undefined : this.of(parent);
	}

	private count(agent: Agent | undefined, by: 1 | -1): void {
		const kind = agent === undefined ? undefined : kindOf(agent);
		if (kind !== undefined) this.counts[kind] += by;
	}

	/** Keeps the last of several samples of one time, and none that says nothing new. */
	private sample(at: number): void {
		const { costUsd } = this;
		const { queued, active, waiting } = this.counts;
		const last = this.samples.at(-1);
		const isSame = last?.queued === queued && last.active === active && last.waiting === waiting;
		if (isSame && last.costUsd === costUsd) return;
		if (last?.at === at) this.samples.pop();
		this.samples.push({ at, queued, active, waiting, costUsd });
	}
}

function kindOf({ state }: Agent): Kind | undefined {
	switch (state.is) {
		case "queued":
			return "queued";
		case "thinking":
		case "running":
			return "active";
		case "waiting":
			return "waiting";
		case "listening":
		case "ended":
			return undefined;
	}
}
