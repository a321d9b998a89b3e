/** Until when the time limits of agents let them live: a wait that ends later need not begin. */
import { type AgentId, withAncestors } from "../../core/agent.ts";
import type { Timer } from "../../core/clock.ts";
import { formatDuration } from "../../text/durations.ts";
import type { TimeLeft } from "./backoff.ts";

export class Deadlines {
	private readonly timer: Pick<Timer, "elapsed">;
	private readonly ends = new Map<AgentId, { at: number; maxTimeMs: number }>();

	constructor(timer: Pick<Timer, "elapsed">) {
		this.timer = timer;
	}

	/** The agent's time begins now, anew when it is resumed. */
	begin(agent: AgentId, maxTimeMs: number): void {
		this.ends.set(agent, { at: this.timer.elapsed() + maxTimeMs, maxTimeMs });
	}

	/** The least time that the agent's own limit and those above it leave; undefined when none is known. */
	left(agent: AgentId): TimeLeft | undefined {
		const ends = withAncestors(agent).flatMap((holder) => {
			const end = this.ends.get(holder);
			return end === undefined ? [] : [{ ...end, holder }];
		});
		const first = ends.sort((a, b) => a.at - b.at)[0];
		if (first === undefined) return undefined;
		const limit = `max-time ${formatDuration(first.maxTimeMs)} of agent ${first.holder}`;
		return { ms: first.at - this.timer.elapsed(), limit };
	}
}
