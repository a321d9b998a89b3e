/** Looks, a while after agents have ended alone in their cgroup, for what may have left that: one look for all of them. */

import type { AgentId } from "../../core/model/agent.ts";
import { endProcesses, type SendSignal } from "../../processes/table/end-processes.ts";
import type { Look, ProcessInfo, ProcessTable } from "../../processes/table/process-table.ts";

interface SweeperDeps {
	readonly table: ProcessTable;
	readonly kill?: SendSignal | undefined;
	readonly timers: { after(ms: number, then: () => void): void };
	readonly look: () => Promise<Look>;
	/** How long the last look took. */
	readonly lookMs: () => number;
	/** The processes of the agent and all below it, without those of agents: these may still print answers. */
	readonly leftOf: (agent: AgentId, look: Look) => readonly ProcessInfo[];
}

const SWEEP_MS = 1_000;
const SWEEP_REST = 50; // × the time of the last look passes before a sweep

export class Sweeper {
	private readonly deps: SweeperDeps;
	private readonly unswept = new Set<AgentId>();

	constructor(deps: SweeperDeps) {
		this.deps = deps;
	}

	sweepSoon(agent: AgentId): void {
		this.unswept.add(agent);
		if (this.unswept.size > 1) return;
		const { timers, lookMs } = this.deps;
		timers.after(Math.max(SWEEP_MS, SWEEP_REST * lookMs()), () => void this.sweep().catch(() => {}));
	}

	async sweep(): Promise<void> {
		const agents = [...this.unswept];
		this.unswept.clear();
		const { table, kill, look, leftOf } = this.deps;
		const find = (now: Look) => agents.flatMap((agent) => leftOf(agent, now));
		if (agents.length > 0 && find(await look()).length > 0) await endProcesses({ table, kill, find });
	}
}
