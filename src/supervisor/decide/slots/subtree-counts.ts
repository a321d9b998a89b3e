import { type AgentId, withAncestors } from "../../../core/model/agent.ts";

/** How many of something there are at and below each agent. */
export class SubtreeCounts {
	private readonly counts = new Map<AgentId, number>();

	add(agent: AgentId, by: 1 | -1): void {
		for (const id of withAncestors(agent)) {
			const count = this.within(id) + by;
			if (count === 0) this.counts.delete(id);
			else this.counts.set(id, count);
		}
	}

	within(agent: AgentId): number {
		return this.counts.get(agent) ?? 0;
	}
}
