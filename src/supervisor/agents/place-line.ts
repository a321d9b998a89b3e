/**
 * Processes that wait in line to become a child agent, each for a place among the living children of its parent (`--wait-for-place`).
 * Any other limit refuses one that has its turn as it would have refused it before.
 */
import type { AgentId } from "../../core/model/agent.ts";
import { isOver } from "../../core/model/agent.ts";
import { branchOf } from "../../core/run/agent-index.ts";
import type { Join } from "../../wire/agent-messages.ts";
import type { RunCore } from "../run/run-core.ts";

const LOOK_MS = 100;

interface Waiting {
	readonly parent: AgentId;
	readonly start: () => void;
}

export class PlaceLine {
	private readonly core: RunCore;
	private waiting: readonly Waiting[] = [];

	constructor(core: RunCore) {
		this.core = core;
	}

	/** Calls `start` at once, or when it is the turn of the process, which may be gone by then. */
	take(join: Join, start: () => void): void {
		const resolved = join.waitsForPlace ? this.core.machine.parentOf(join) : undefined;
		if (resolved?.is !== "child") return start();
		const isFirst = this.waiting.length === 0;
		this.waiting = [...this.waiting, { parent: resolved.parent, start }];
		if (isFirst) this.look();
	}

	private look(): void {
		for (const next of this.waiting) {
			const isBehind = this.waiting.find(({ parent }) => parent === next.parent) !== next;
			if (isBehind || !this.hasPlace(next.parent)) continue;
			this.waiting = this.waiting.filter((other) => other !== next);
			next.start();
		}
		if (this.waiting.length > 0) this.core.timers.after(LOOK_MS, () => this.look());
	}

	/** Or will never have one. */
	private hasPlace(parent: AgentId): boolean {
		const { agents, stopping, closed } = this.core.run;
		const agent = agents[parent];
		if (agent === undefined || isOver(agent) || stopping !== undefined || closed.includes(parent)) return true;
		const { maxChildren } = agent.limits;
		return maxChildren === 0 || branchOf(agents, parent).livingChildren.size < maxChildren;
	}
}
