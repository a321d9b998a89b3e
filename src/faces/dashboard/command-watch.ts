/**
 * Watches the running commands of a run from outside. Once a tick it looks when the log of each was written last: of the
 * agents on the screen each time, and of so many others that a tick costs little however large the run is. Of those that have
 * been silent for a while it also looks at the processes.
 */
import { lstatSync } from "node:fs";
import { defined } from "../../core/defined.ts";
import type { Agent, AgentId, RunningCommand } from "../../core/model/agent.ts";
import type { RunState } from "../../core/run/run-state.ts";
import { recorderOf } from "../../processes/table/open-table.ts";
import { listInSlices, type ProcessInfo, type ProcessTable, readAlive } from "../../processes/table/process-table.ts";
import type { RecordedRun } from "../../record/run-source.ts";
import {
	type CommandActivity,
	isSilent,
	NO_ACTIVITY,
	type SeenCommand,
	type SeenCommands,
} from "../../view/agents/activity.ts";
import { treeOf } from "../../view/agents/agent-tree.ts";
import { commandActivities } from "../../view/agents/command-activity.ts";
import { sizeAt } from "./layout.ts";
import { rowsInPane, treePane } from "./panes/tree.ts";
import { LISTED_KEYS } from "./panes.ts";
import { type Picture, sceneOf } from "./scene/scene.ts";

export interface CommandWatchDeps extends ProcessWatchDeps {
	readonly picture: () => Picture;
	/** Called when something has changed. */
	readonly onSeen: (commands: SeenCommands) => void;
}

const MOST_LOOKS = 300; // a look at a log takes some 10 µs
const MOST_SILENT = 100;
/** So long before an agent counts as silent its processes are looked at, so that they are known by then. */
const AHEAD_MS = 20_000;

export class CommandWatch {
	private readonly deps: CommandWatchDeps;
	private readonly processes: ProcessWatch;
	private readonly seen = new Map<AgentId, ReadonlyMap<number, SeenCommand>>();
	/** Where the round through the agents that are not on the screen goes on. */
	private next = 0;

	constructor(deps: CommandWatchDeps) {
		this.deps = deps;
		this.processes = new ProcessWatch(deps);
	}

	/** To be called every second. Resolves when the processes have been looked at. */
	async tick(): Promise<void> {
		const picture = this.deps.picture();
		const { run } = picture;
		const running = runningAgents(run);
		const shown =
			running.size > MOST_SILENT ? shownFirst(running, picture) : { first: [], others: [...running.values()] };
		const isForgotten = this.forgetOthers(running);
		const isChanged = this.chosen(shown).filter((agent) => this.look(agent)).length > 0;
		if (isForgotten || isChanged) this.tell();
		const activities = await this.processes.look(run, this.silent(shown));
		if (activities.filter((activity) => this.add(activity)).length > 0) this.tell();
	}

	private tell(): void {
		this.deps.onSeen(new Map(this.seen));
	}

	/** True when some were known that run no command any more. */
	private forgetOthers(running: ReadonlyMap<AgentId, Agent>): boolean {
		const over = [...this.seen.keys()].filter((agent) => !running.has(agent));
		for (const agent of over) this.seen.delete(agent);
		return over.length > 0;
	}

	/** The first, then some of the others, going on where the last tick has stopped. */
	private chosen({ first, others }: Shown): Agent[] {
		const from = this.next < others.length ? this.next : 0;
		const rest = others.slice(from, from + MOST_LOOKS - first.length);
		this.next = from + rest.length;
		return [...first, ...rest];
	}

	private silent({ first, others }: Shown): AgentId[] {
		const activity = { ...NO_ACTIVITY, commands: this.seen };
		const soon = this.deps.now() + AHEAD_MS;
		const silent = [...first, ...others].filter((agent) => isSilent(agent, activity, soon));
		return silent.slice(0, MOST_SILENT).map(({ id }) => id);
	}

	/** True when something is another than at the last look. */
	private look(agent: Agent): boolean {
		const before = this.seen.get(agent.id);
		const seen = agent.running.map((command) => {
			const known = before?.get(command.command);
			const silentSince = known?.isCut ? undefined : this.silentSince(agent.id, command); // a log is cut for good
			const isSame = known !== undefined && silentSince === known.silentSince;
			return [command.command, isSame ? known : defined({ silentSince })] as const;
		});
		if (before?.size === seen.length && seen.every(([command, now]) => before.get(command) === now)) return false;
		this.seen.set(agent.id, new Map(seen));
		return true;
	}

	private silentSince(agent: AgentId, { log, since }: RunningCommand): number | undefined {
		const writtenAt = lastWrite(this.deps.record.output(agent, log).path);
		return writtenAt === undefined ? undefined : Math.max(since, Math.min(writtenAt, this.deps.now()));
	}

	/** True when the command still runs. */
	private add({ agent, command, silentSince, cpuMs, processes }: CommandActivity): boolean {
		const known = this.seen.get(agent);
		if (!known?.has(command)) return false;
		const now = silentSince === undefined ? { isCut: true as const } : defined({ silentSince, cpuMs, processes });
		this.seen.set(agent, new Map(known).set(command, now));
		return true;
	}
}

/** Those of whose commands something is expected: who waits for its children is not quiet. */
function runningAgents({ agents, ended }: RunState): ReadonlyMap<AgentId, Agent> {
	const running = new Map<AgentId, Agent>();
	if (ended !== undefined) return running;
	for (const agent of treeOf(agents).atWork)
		if (agent.state.is === "running" && agent.running.length > 0) running.set(agent.id, agent);
	return running;
}

interface Shown {
	readonly first: readonly Agent[];
	readonly others: readonly Agent[];
}

/** Those with rows on the screen come first. */
function shownFirst(running: ReadonlyMap<AgentId, Agent>, picture: Picture): Shown {
	const scene = sceneOf(picture, LISTED_KEYS);
	const rows = rowsInPane(scene, sizeAt(treePane.place, scene));
	const first = rows.flatMap(({ agent }) => running.get(agent.id) ?? []).slice(0, MOST_LOOKS);
	const shown = new Set(first);
	return { first, others: [...running.values()].filter((agent) => !shown.has(agent)) };
}

/** Undefined where there is no such file, or the directory cannot be searched. */
function lastWrite(path: string): number | undefined {
	try {
		const found = lstatSync(path, { throwIfNoEntry: false });
		return found?.isFile() ? Math.floor(found.mtimeMs) : undefined;
	} catch {
		return undefined; // EACCES, ELOOP: a command has made something else of the way to it
	}
}

/** Looks at the processes of commands, as often as that costs next to nothing: a look reads all processes of the machine. */

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
