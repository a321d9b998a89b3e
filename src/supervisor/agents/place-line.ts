/**
 * Processes that wait in line to become a child agent, each for a place among the living children of its parent (`--wait-for-place`).
 * Any other limit refuses one that has its turn as it would have refused it before.
 */
import type { AgentId } from "../../core/model/agent.ts";
import { isOver } from "../../core/model/agent.ts";
import { branchOf } from "../../core/run/agent-index.ts";
import type { RunState } from "../../core/run/run-state.ts";
import type { Join } from "../../wire/agent-messages.ts";
import type { Machine } from "../processes/machine.ts";
import type { RunTimers } from "../run-timers.ts";

const LOOK_MS = 100;

interface PlaceLineDeps {
	readonly machine: Pick<Machine, "parentOf">;
	readonly timers: Pick<RunTimers, "after">;
	readonly run: () => RunState;
}

interface Waiting {
	readonly parent: AgentId;
	readonly start: () => void;
}

export class PlaceLine {
	private readonly deps: PlaceLineDeps;
	private waiting: readonly Waiting[] = [];

	constructor(deps: PlaceLineDeps) {
		this.deps = deps;
	}

	/** Calls `start` at once, or when it is the turn of the process, which may be gone by then. */
	take(join: Join, start: () => void): void {
		const resolved = join.waitsForPlace ? this.deps.machine.parentOf(join) : undefined;
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
		if (this.waiting.length > 0) this.deps.timers.after(LOOK_MS, () => this.look());
	}

	/** Or will never have one. */
	private hasPlace(parent: AgentId): boolean {
		const { agents, stopping, closed } = this.deps.run();
		const agent = agents[parent];
		if (agent === undefined || isOver(agent) || stopping !== undefined || closed.includes(parent)) return true;
		const { maxChildren } = agent.limits;
		return maxChildren === 0 || branchOf(agents, parent).livingChildren.size < maxChildren;
	}
}
