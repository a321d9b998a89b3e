/**
 * Looks after the machine while a run is alive: how much the commands have printed, what the disk and the memory have
 * left, how many processes there are, and whether the root hangs after its last word. A look is one directory and a
 * few small files; the whole process table is read only when there are more processes on the machine than a limit allows.
 * In a fork bomb the supervisor gets little of the processors: the crowd is looked for first, and frozen before all else.
 * And there may be no process left for a look: then the newest command is ended unseen.
 */
import { statSync } from "node:fs";
import { join } from "node:path";
import { type Agent, type AgentId, isOver, ROOT } from "../../core/agent.ts";
import { parseCookie } from "../../core/cookie.ts";
import type { RunEvent } from "../../core/run-event.ts";
import type { RunState } from "../../core/run-state.ts";
import { type Bounds, type Shortage, shortagesIn } from "../../core/shortage.ts";
import { ifSeen, isFailedLook } from "../../processes/failed-look.ts";
import type { ProcessTable } from "../../processes/process-table.ts";
import { isSameStart } from "../../processes/start-time.ts";
import { agentDirectory } from "../../store/run-directory.ts";
import type { Clocks } from "../clocks.ts";
import type { Input } from "../decide/input.ts";
import { type ResourceReaders, systemResources } from "./machine-resources.ts";
import { type Breach, findBreach, groupsBelow, type Owned, type OwnershipDeps, ownProcesses } from "./own-processes.ts";
import type { CommandRef, Terminator } from "./terminator.ts";

const CROWD_MS = 250; // a fork bomb makes some thousand processes in a second
const SUDDEN_CROWD_MS = 20;
const SUDDEN = 20; // more processes than at the last look
const MAX_BLIND_LOOKS = 3; // in a row, CROWD_MS apart
const MAX_FREEZE_ROUNDS = 10;
const MAX_KNOWN = 20_000;
const LOOKS_PER_SUPPLY = 4;
const MAX_HUNG_LOOKS = 20; // not a clock: while the supervisor itself was suspended, nobody looked

export interface ResourceMonitorDeps {
	table: ProcessTable;
	run: () => RunState;
	commandByPid: ReadonlyMap<number, CommandRef>;
	/** The run's directory. */
	directory: string;
	bounds: Bounds;
	clocks: Pick<Clocks, "after">;
	dispatch: (input: Input) => void;
	terminator: Pick<Terminator, "end" | "members" | "killNow">;
	supply?: ResourceReaders;
	kill?: (pid: number, signal: "SIGSTOP" | "SIGKILL") => void;
}

export class ResourceMonitor {
	private readonly facts: ResourceMonitorDeps;
	private readonly logs = new Map<string, { bytes: number; mayGrow: boolean }>();
	private looks = 0;
	private lastCount = 0;
	private hungLooks = 0;
	private blindLooks = 0;
	private readonly endedUnseen = new Set<AgentId>();
	private readonly known = new Map<string, AgentId>();

	constructor(facts: ResourceMonitorDeps) {
		this.facts = facts;
	}

	start(): void {
		this.lookAtResources();
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
			const isSudden = this.lookForBreachOrUnseen();
			if (this.looks % LOOKS_PER_SUPPLY === 0) this.lookAtResources();
			ifSeen(() => this.lookAtRoot());
			this.next(isSudden ? SUDDEN_CROWD_MS : CROWD_MS);
		});
	}

	private lookAtResources(): void {
		const { supply = systemResources, directory, bounds, run, dispatch } = this.facts;
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
		if (kinds(shortages) !== kinds(before)) dispatch({ is: "shortages", shortages });
	}

	private lookForBreachOrUnseen(): boolean {
		try {
			const isSudden = this.lookForBreach();
			this.blindLooks = 0;
			return isSudden;
		} catch (error) {
			if (!isFailedLook(error)) throw error;
			if (!isForWantOfFiles(error)) this.couldNotLook(error.message); // then it is not the processes that are too many
			return false;
		}
	}

	/** True while their number grows fast. */
	private lookForBreach(): boolean {
		const { supply = systemResources, table, run } = this.facts;
		const count = supply.processCount() ?? table.list().length;
		const isSudden = count > this.lastCount + SUDDEN;
		this.lastCount = count;
		const isOver = count > narrowestLimit(run());
		if (!isOver && (!isSudden || count < narrowestLimit(run()) / 2)) return isSudden;
		const now = table.snapshot?.() ?? table;
		const infos = now.list();
		const list = () => infos;
		if (!isOver) {
			this.owned({ list, environment: () => undefined }); // whose they are, before their parents have ended
			return true;
		}
		// Most are found by descent and session; reading environments is what costs.
		for (const environment of [() => undefined, this.environmentsIn(now)]) {
			const owned = this.owned({ list, environment });
			const breach = findBreach(owned, run());
			if (breach === undefined) continue;
			this.end(breach, groupsBelow(owned, run(), breach.agent));
			return true;
		}
		return isSudden;
	}

	private owned(table: OwnershipDeps["table"]): Owned[] {
		const { run, commandByPid, terminator } = this.facts;
		if (this.known.size > MAX_KNOWN) this.known.clear();
		return ownProcesses({ table, run: run(), commandByPid, members: terminator.members(), known: this.known });
	}

	/** No more than are needed: so many of this run are too many for any limit. */
	private environmentsIn(table: ProcessTable): ProcessTable["environment"] {
		const enough = widestLimit(this.facts.run());
		let found = 0;
		return (pid) => {
			const environment = found > enough ? undefined : table.environment(pid);
			if (parseCookie(environment ?? {}) !== undefined) found += 1;
			return environment;
		};
	}

	/** It is told first, so that it knows why its commands die; it lives on and says its last words. */
	private end({ agent, reason }: Breach, groups: readonly number[]): void {
		const { dispatch, terminator } = this.facts;
		dispatch({ is: "stop_asked", agent, ending: { by: "limit", limit: "max-processes", reason } });
		const frozen = new Set<number>();
		const freeze = (some: readonly number[]) => {
			for (const group of some) this.kill(-group, "SIGSTOP");
			for (const group of some) frozen.add(group);
		};
		freeze(groups);
		terminator.killNow(agent);
		ifSeen(() => this.freezeNew(agent, frozen, freeze));
		for (const group of frozen) this.kill(-group);
		void terminator.end(agent, { isGone: false, graceMs: 0 });
	}

	/** What the frozen had started before they stood. Their parents live, so they are found by descent. */
	private freezeNew(agent: AgentId, frozen: ReadonlySet<number>, freeze: (groups: readonly number[]) => void): void {
		const { table, run } = this.facts;
		for (let round = 0; round < MAX_FREEZE_ROUNDS; round++) {
			const now = table.snapshot?.() ?? table;
			const owned = this.owned({ list: () => now.list(), environment: this.environmentsIn(now) });
			const others = groupsBelow(owned, run(), agent).filter((group) => !frozen.has(group));
			if (others.length === 0) return;
			freeze(others);
		}
	}

	/** There is no process left for a look: who has begun a command last is ended for it, one agent after the other. */
	private couldNotLook(why: string): void {
		const { run, dispatch, terminator } = this.facts;
		this.blindLooks += 1;
		if (this.blindLooks < MAX_BLIND_LOOKS) return;
		this.blindLooks = 0;
		const agent = newestAtWork(run(), this.endedUnseen);
		if (agent === undefined) return this.endedUnseen.clear(); // all have been: next time from the newest again
		this.endedUnseen.add(agent);
		const reason = `process limit reached: ${why}; agent ${agent} has begun a command last`;
		dispatch({ is: "stop_asked", agent, ending: { by: "limit", limit: "max-processes", reason } });
		terminator.killNow(agent);
		void terminator.end(agent, { isGone: false, graceMs: 0 });
	}

	/** ESRCH: it has just ended. */
	private kill(pid: number, signal: "SIGSTOP" | "SIGKILL" = "SIGKILL"): void {
		const { kill = (target, name) => process.kill(target, name) } = this.facts;
		try {
			kill(pid, signal);
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

function widestLimit(run: RunState): number {
	return Math.max(...Object.values(run.agents).map((agent) => (isOver(agent) ? 0 : agent.limits.maxProcesses)));
}

function newestAtWork(run: RunState, except: ReadonlySet<AgentId>): AgentId | undefined {
	const sinceOf = (agent: Agent) => Math.max(...agent.running.map(({ since }) => since));
	const isAtWork = (agent: Agent) => !isOver(agent) && agent.running.length > 0 && !except.has(agent.id);
	const atWork = Object.values(run.agents).filter(isAtWork);
	return atWork.reverse().sort((a, b) => sinceOf(b) - sinceOf(a))[0]?.id; // of equals, who has joined last
}

function isForWantOfFiles(error: Error): boolean {
	return "code" in error && (error.code === "EMFILE" || error.code === "ENFILE");
}
