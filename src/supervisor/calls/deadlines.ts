/** Until when the time limits of agents let them live: a wait that ends later need not begin. While an agent is paused its time stands still. */

import type { Timer } from "../../core/clock.ts";
import { type AgentId, withAncestors } from "../../core/model/agent.ts";
import { formatDuration } from "../../text/durations.ts";
import type { TimeLeft } from "./backoff.ts";

interface Deadline {
	maxTimeMs: number;
	/** Until `since`. */
	spentMs: number;
	/** By the monotonic clock; undefined while the agent's time stands still. */
	since: number | undefined;
}

export class Deadlines {
	private readonly timer: Pick<Timer, "elapsed">;
	private readonly ofAgents = new Map<AgentId, Deadline>();

	constructor(timer: Pick<Timer, "elapsed">) {
		this.timer = timer;
	}

	/** The agent's time begins now, and again when it is resumed. */
	begin(agent: AgentId, maxTimeMs: number): void {
		this.ofAgents.set(agent, { maxTimeMs, spentMs: 0, since: this.timer.elapsed() });
	}

	/** The limit is another one; the time that has gone by counts. */
	change(agent: AgentId, maxTimeMs: number): void {
		const deadline = this.ofAgents.get(agent);
		if (deadline !== undefined) deadline.maxTimeMs = maxTimeMs;
	}

	/** The agent has ended. */
	forget(agent: AgentId): void {
		this.ofAgents.delete(agent);
	}

	/** Stops the agent's own time, or lets it run again. */
	hold(agent: AgentId, isHeld: boolean): void {
		const deadline = this.ofAgents.get(agent);
		if (deadline === undefined || isHeld === (deadline.since === undefined)) return;
		const now = this.timer.elapsed();
		deadline.spentMs += now - (deadline.since ?? now);
		deadline.since = isHeld ? undefined : now;
	}

	/** What the agent's own limit leaves it; undefined when none is known. */
	ownLeft(agent: AgentId): number | undefined {
		const deadline = this.ofAgents.get(agent);
		if (deadline === undefined) return undefined;
		const { maxTimeMs, spentMs, since } = deadline;
		return maxTimeMs - spentMs - (since === undefined ? 0 : this.timer.elapsed() - since);
	}

	/** The least time that the agent's own limit and those above it leave; undefined when none is known. */
	left(agent: AgentId): TimeLeft | undefined {
		const all = withAncestors(agent).flatMap((holder): TimeLeft[] => {
			const ms = this.ownLeft(holder);
			const limit = `max-time ${formatDuration(this.ofAgents.get(holder)?.maxTimeMs ?? 0)} of agent ${holder}`;
			return ms === undefined ? [] : [{ ms, limit }];
		});
		return all.sort((a, b) => a.ms - b.ms)[0];
	}
}
