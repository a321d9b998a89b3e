/** Until when the time limits of agents let them live: a wait that ends later need not begin. While an agent is paused its time stands still. */

import type { Timer } from "../../core/clock.ts";
import { type AgentId, withAncestors } from "../../core/model/agent.ts";
import { formatDuration } from "../../text/durations.ts";
import type { TimeLeft } from "./backoff.ts";

interface Deadline {
	readonly maxTimeMs: number;
	/** By the monotonic clock; undefined while it stands still. */
	readonly at: number | undefined;
	/** What was left when it was held. */
	readonly leftMs: number;
}

export class Deadlines {
	private readonly timer: Pick<Timer, "elapsed">;
	private readonly ends = new Map<AgentId, Deadline>();

	constructor(timer: Pick<Timer, "elapsed">) {
		this.timer = timer;
	}

	/** The agent's time begins now, and again when it is resumed. */
	begin(agent: AgentId, maxTimeMs: number): void {
		this.ends.set(agent, { maxTimeMs, at: this.timer.elapsed() + maxTimeMs, leftMs: maxTimeMs });
	}

	/** The limit is another one; the time that has gone by counts. */
	change(agent: AgentId, maxTimeMs: number): void {
		const end = this.ends.get(agent);
		if (end === undefined) return;
		const leftMs = this.leftOf(end) + maxTimeMs - end.maxTimeMs;
		this.ends.set(agent, { maxTimeMs, leftMs, at: end.at === undefined ? undefined : this.timer.elapsed() + leftMs });
	}

	/** Holds the agent's own time, or lets it go on. */
	hold(agent: AgentId, isHeld: boolean): void {
		const end = this.ends.get(agent);
		if (end === undefined || isHeld === (end.at === undefined)) return;
		const leftMs = this.leftOf(end);
		this.ends.set(agent, { ...end, leftMs, at: isHeld ? undefined : this.timer.elapsed() + leftMs });
	}

	/** What the agent's own limit leaves it; undefined when none is known. */
	ownLeft(agent: AgentId): number | undefined {
		const end = this.ends.get(agent);
		return end === undefined ? undefined : this.leftOf(end);
	}

	/** The least time that the agent's own limit and those above it leave; undefined when none is known. */
	left(agent: AgentId): TimeLeft | undefined {
		const ends = withAncestors(agent).flatMap((holder) => {
			const end = this.ends.get(holder);
			return end === undefined ? [] : [{ ms: this.leftOf(end), maxTimeMs: end.maxTimeMs, holder }];
		});
		const first = ends.sort((a, b) => a.ms - b.ms)[0];
		if (first === undefined) return undefined;
		return { ms: first.ms, limit: `max-time ${formatDuration(first.maxTimeMs)} of agent ${first.holder}` };
	}

	private leftOf({ at, leftMs }: Deadline): number {
		return at === undefined ? leftMs : at - this.timer.elapsed();
	}
}
