/**
 * Looks after the machine while a run is alive: how much the commands have printed, what the disk and the memory have
 * left, how many processes there are, and whether the root hangs after its last word. A look is one directory and a
 * few small files; the whole process table is read only when there are more processes on the machine than a limit allows.
 */
import { statSync } from "node:fs";
import { join } from "node:path";
import { type AgentId, isOver, ROOT } from "../core/agent.ts";
import type { RunEvent } from "../core/run-event.ts";
import type { RunState } from "../core/run-state.ts";
import { type Bounds, type Shortage, shortagesIn } from "../core/shortage.ts";
import type { ProcessTable } from "../processes/process-table.ts";
import { isSameStart } from "../processes/start-time.ts";
import { agentDirectory } from "../store/run-directory.ts";
import type { Clocks } from "./clocks.ts";
import type { Occurrence } from "./occurrence.ts";
import { type Crowd, crowdIn, groupsBelow, ownProcesses } from "./own-processes.ts";
import type { CommandRef, Reaper } from "./reaper.ts";
import { type SupplyReaders, systemSupply } from "./supply.ts";

const CROWD_MS = 250; // a fork bomb makes some thousand processes in a second
const SUDDEN_CROWD_MS = 20;
const SUDDEN = 20; // more processes than at the last look
const LOOKS_PER_SUPPLY = 4;
const MAX_HUNG_LOOKS = 20; // not a clock: while the supervisor itself was suspended, nobody looked

export interface WatchFacts {
	table: ProcessTable;
	run: () => RunState;
	commandByPid: ReadonlyMap<number, CommandRef>;
	/** The run's directory. */
	directory: string;
	bounds: Bounds;
	clocks: Pick<Clocks, "after">;
	happen: (occurrence: Occurrence) => void;
	reaper: Pick<Reaper, "reap" | "members">;
	supply?: SupplyReaders;
	kill?: (pid: number, signal: "SIGKILL") => void;
}

export class Watch {
	private readonly facts: WatchFacts;
	private readonly logs = new Map<string, { bytes: number; mayGrow: boolean }>();
	private looks = 0;
	private lastCount = 0;
	private hungLooks = 0;

	constructor(facts: WatchFacts) {
		this.facts = facts;
	}

	start(): void {
		this.lookAtSupply();
		this.next(CROWD_MS);
	}

	/** Learns of logs. A process that was left running may go on printing into the log of its command. */
	event(event: RunEvent): void {
		if (event.event === "command_started")
			this.logs.set(this.pathOf(event.agent, event.log), { bytes: 0, mayGrow: true });
		if (event.event !== "command_ended" || event.leftRunning.length > 0) return;
		const path = this.pathOf(event.agent, `out/${String(event.command).padStart(4, "0")}.log`);
		this.measure(path);
		const log = this.logs.get(path);
		if (log !== undefined) log.mayGrow = false;
	}

	private next(ms: number): void {
		this.facts.clocks.after(ms, () => {
			this.looks += 1;
			if (this.looks % LOOKS_PER_SUPPLY === 0) this.lookAtSupply();
			this.lookAtRoot();
			this.next(this.lookAtCrowd() ? SUDDEN_CROWD_MS : CROWD_MS);
		});
	}

	private lookAtSupply(): void {
		const { supply = systemSupply, directory, bounds, run, happen } = this.facts;
		for (const [path, { mayGrow }] of this.logs) if (mayGrow) this.measure(path);
		const outputBytes = [...this.logs.values()].reduce((sum, { bytes }) => sum + bytes, 0);
		const freeDiskBytes = supply.freeDiskBytes(directory);
		const freeMemoryPercent = supply.freeMemoryPercent();
		const before = run().shortages;
		const shortages = shortagesIn({ outputBytes, freeDiskBytes, freeMemoryPercent }, bounds, before);
		const kinds = (list: readonly Shortage[]) =>
			list
				.map(({ what }) => what)
				.sort()
				.join();
		if (kinds(shortages) !== kinds(before)) happen({ is: "shortages", shortages });
	}

	/** True while their number grows fast. */
	private lookAtCrowd(): boolean {
		const { supply = systemSupply, table, run, commandByPid, reaper } = this.facts;
		const count = supply.processCount() ?? table.list().length;
		const isSudden = count > this.lastCount + SUDDEN;
		this.lastCount = count;
		if (count <= narrowestLimit(run())) return isSudden;
		const owned = ownProcesses({ table, run: run(), commandByPid, members: reaper.members() });
		const crowd = crowdIn(owned, run());
		if (crowd === undefined) return isSudden;
		this.end(crowd, groupsBelow(owned, run(), crowd.agent));
		return true;
	}

	/** It is told first, so that it knows why its commands die; it lives on and says its last words. */
	private end({ agent, reason }: Crowd, groups: readonly number[]): void {
		const { happen, reaper } = this.facts;
		happen({ is: "stop_asked", agent, ending: { by: "limit", limit: "max-processes", reason } });
		for (const group of groups) this.kill(-group);
		void reaper.reap(agent, { isGone: false, graceMs: 0 });
	}

	/** ESRCH: it has just ended. */
	private kill(pid: number): void {
		const { kill = (target, signal) => process.kill(target, signal) } = this.facts;
		try {
			kill(pid, "SIGKILL");
		} catch {}
	}

	/** A slow reader of its answer may take as long as it needs; but who is stopped (state T) reads and writes nothing. */
	private lookAtRoot(): void {
		const root = this.facts.run().agents[ROOT];
		const info = root === undefined || !isOver(root) ? undefined : this.facts.table.read(root.pid);
		const hangs = info?.state === "T" && root !== undefined && isSameStart(info.startTime, root.startTime);
		this.hungLooks = hangs ? this.hungLooks + 1 : 0;
		if (hangs && this.hungLooks === MAX_HUNG_LOOKS) this.kill(info.pid);
	}

	private pathOf(agent: AgentId, log: string): string {
		return join(agentDirectory(this.facts.directory, agent), log);
	}

	private measure(path: string): void {
		const log = this.logs.get(path);
		if (log !== undefined) log.bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
	}
}

function narrowestLimit(run: RunState): number {
	return Math.min(
		...Object.values(run.agents).map((agent) => (isOver(agent) ? Number.POSITIVE_INFINITY : agent.limits.maxProcesses)),
	);
}
