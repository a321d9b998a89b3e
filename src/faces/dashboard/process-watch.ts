/** Looks at the processes of commands, as often as that costs next to nothing: a look reads all processes of the machine. */
import type { AgentId } from "../../core/model/agent.ts";
import type { RunState } from "../../core/run/run-state.ts";
import { listInSlices } from "../../processes/table/list-in-slices.ts";
import { recorderOf } from "../../processes/table/open-table.ts";
import { type ProcessInfo, type ProcessTable, readAlive } from "../../processes/table/process-table.ts";
import type { RecordedRun } from "../../record/run-source.ts";
import type { CommandActivity } from "../../view/agents/activity.ts";
import { commandActivities } from "../../view/agents/command-activity.ts";

export interface ProcessWatchDeps {
	readonly record: RecordedRun;
	readonly now: () => number;
	/** The table by which the run names its processes. */
	readonly tableOf?: (run: RunState) => ProcessTable;
}

const LEAST_GAP_MS = 2_000;
const COSTLY_GAP_MS = 15_000;
const GAP_MS_PER_PROCESS = 10; // of which a look takes some 20 µs: 0.2 % of a core

export class ProcessWatch {
	private readonly deps: ProcessWatchDeps;
	private isLooking = false;
	private lookedAt = Number.NEGATIVE_INFINITY;
	private gapMs = 0;

	constructor(deps: ProcessWatchDeps) {
		this.deps = deps;
	}

	/** What the running commands of these agents do; nothing when it is not time for a look, or their processes are not to be seen from here. */
	async look(run: RunState, agents: readonly AgentId[]): Promise<CommandActivity[]> {
		const isSoon = Math.abs(this.deps.now() - this.lookedAt) < this.gapMs; // also after the time was set back
		if (agents.length === 0 || this.isLooking || isSoon) return [];
		this.isLooking = true;
		try {
			return this.activitiesAmong(await this.list(run), run, agents);
		} finally {
			this.isLooking = false;
		}
	}

	private async list(run: RunState): Promise<ProcessInfo[]> {
		const { tableOf = recorderOf, now } = this.deps;
		const table = tableOf(run);
		const infos = await listInSlices(table).catch(() => []); // ps could not be started
		this.lookedAt = now();
		this.gapMs = Math.max(table.isCostly ? COSTLY_GAP_MS : LEAST_GAP_MS, infos.length * GAP_MS_PER_PROCESS);
		return infos;
	}

	/** In another pid namespace, or on another machine, the run's pids are those of strangers. */
	private activitiesAmong(infos: ProcessInfo[], run: RunState, agents: readonly AgentId[]): CommandActivity[] {
		const read = (pid: number) => infos.find((info) => info.pid === pid);
		if (readAlive({ read }, run) === undefined) return [];
		return commandActivities(run, agents, { record: this.deps.record, look: { list: () => infos } });
	}
}
