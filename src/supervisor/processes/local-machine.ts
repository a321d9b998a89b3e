/**
 * This machine: the processes of a run as the process table and the cgroups show them. A look at the table costs more the
 * more processes there are, so agents that end share looks. An agent that is alone in its cgroup has left nothing there;
 * what may have left the cgroup is looked for later, in one sweep for all agents that have ended meanwhile. The other ends
 * wait for a shared look that begins after their call, and looks take only a part of the time.
 */

import { setTimeout as sleep } from "node:timers/promises";
import type { CommandStart } from "../../core/bash-call.ts";
import { type AgentId, isOver, isWithin, ROOT } from "../../core/model/agent.ts";
import type { RunState } from "../../core/run/run-state.ts";
import { cgroupPlaceOf } from "../../processes/cgroups/cgroup.ts";
import { endWithCgroup, enterOwnCgroup, type RunCgroup } from "../../processes/cgroups/run-cgroup.ts";
import { processName } from "../../processes/proc-facts.ts";
import { hasOtherMark } from "../../processes/run-mark.ts";
import { withCgroupMembers } from "../../processes/table/belonging.ts";
import { AT_ONCE, endProcesses, type SendSignal } from "../../processes/table/end-processes.ts";
import {
	type NamespaceFacts,
	ownPidNamespace,
	procNamespaces,
	withMemory,
} from "../../processes/table/pid-namespace.ts";
import {
	ifSeen,
	type Look,
	type ProcessInfo,
	type ProcessRef,
	type ProcessTable,
	shareLooks,
} from "../../processes/table/process-table.ts";
import type { Join } from "../../wire/agent-messages.ts";
import type { Hello } from "../../wire/from-client.ts";
import type { ResolvedParent } from "../decide/inputs-and-effects.ts";
import { endingOfDeath } from "./ending-of-death.ts";
import { FrozenCommands } from "./frozen-commands.ts";
import type { Breach, EndHow, LimitCheck, Machine, MachineResources } from "./machine.ts";
import { processCounter, systemResources } from "./machine-resources.ts";
import { checkLimits, freezeGroups, type ProcessLimitDeps, trySignal } from "./process-limit.ts";
import { addTold, RunProcesses } from "./run-processes.ts";
import {
	type HeldRoot,
	type OutsideRunner,
	type OutsideStart,
	type RootAgent,
	type RootProcess,
	type RootSettings,
	startOutsideRunner,
	startRootAgent,
} from "./start-processes.ts";
import {
	type ClientOrigin,
	clientOrigin,
	resolveParent,
	UNSEEN_CLIENT,
	UNSEEN_PARENT,
	type WhoseIsDeps,
	whoseIs,
} from "./whose-is.ts";

const SWEEP_MS = 1_000;
const SWEEP_REST = 50; // × the time of the last look passes before a sweep

interface LocalMachineDeps {
	readonly table: ProcessTable;
	readonly run: () => RunState;
	readonly agentOfToken: (token: string) => AgentId | undefined;
	readonly timers: { after(ms: number, then: () => void): void };
	/** Milliseconds that never go back. */
	readonly elapsed: () => number;
	readonly kill?: SendSignal;
	/** The root's process, where it was started ahead with the same settings. */
	readonly heldRoot?: HeldRoot | undefined;
	/** Replaces what /proc tells of pid namespaces, in tests. */
	readonly facts?: NamespaceFacts;
}

export class LocalMachine implements Machine {
	private readonly deps: LocalMachineDeps;
	private readonly processes: RunProcesses;
	/** What whose-is.ts needs beside a look. */
	private readonly known: Omit<WhoseIsDeps, "look" | "run">;
	private readonly underWay = new Set<Promise<ProcessRef[]>>();
	/** Agents that have ended alone in their cgroup: what may have left that is looked for later, with one look for all of them. */
	private readonly unswept = new Set<AgentId>();
	private readonly frozen: FrozenCommands;
	private readonly looks: TimedLooks;
	private cgroup: RunCgroup | undefined;
	private hasRootJoined = false;
	private root: RootProcess | undefined;
	private isTaken: Promise<void> = Promise.resolve();
	private readonly countProcesses: () => number;

	constructor(deps: LocalMachineDeps) {
		this.deps = deps;
		this.countProcesses = processCounter(deps.table);
		this.looks = new TimedLooks(deps.table, deps.elapsed);
		this.processes = new RunProcesses(deps.run, deps.agentOfToken);
		const pidNamespace = ownPidNamespace();
		this.known = {
			...{ processes: this.processes, facts: withMemory(deps.facts ?? procNamespaces, pidNamespace) },
			...{ cgroupOf: cgroupPlaceOf, hasOtherMark },
			...{ supervisorPid: process.pid, pidNamespace },
		};
		this.frozen = new FrozenCommands({
			...deps,
			commandsIn: (look) => this.processes.commandsIn(look, this.readCgroupOwners()),
		});
		if (deps.heldRoot !== undefined) this.take(deps.heldRoot); // it is ended even if it never begins
	}

	startRoot(settings: RootSettings): RootAgent {
		const root = startRootAgent(settings, this.deps.heldRoot);
		if (this.root !== root) this.take(root);
		return { ...root, isPlaced: Promise.all([root.isPlaced, this.isTaken]) };
	}

	private take(root: RootProcess): void {
		this.root = root;
		this.isTaken = root.cgroup.then((cgroup) => {
			this.cgroup = cgroup;
		});
	}

	startOutside(start: OutsideStart): OutsideRunner {
		return startOutsideRunner(start, { ...this.deps, processes: this.processes, cgroup: this.cgroup });
	}

	isConfined(process: ProcessRef | undefined): boolean {
		const namespace = process === undefined ? undefined : this.known.facts.namespaceOf(process.pid);
		return namespace !== undefined && this.known.pidNamespace !== null && namespace !== this.known.pidNamespace;
	}

	killRoot(): void {
		this.root?.kill();
	}

	parentOf(join: Join): ResolvedParent {
		const rootPid = this.hasRootJoined ? undefined : this.root?.pid;
		const known = { ...this.known, run: this.deps.run(), rootPid, nameOf: processName };
		return this.ifLooked((look) => resolveParent(join, { ...known, look })) ?? UNSEEN_PARENT;
	}

	originOf({ pid, pidNamespace = ownPidNamespace() }: Hello): ClientOrigin {
		const { run } = this.deps.run();
		return (
			this.ifLooked((look) => {
				const known = { ...this.known, run, look };
				return clientOrigin(whoseIs({ pid, pidNamespace }, known), known);
			}) ?? UNSEEN_CLIENT
		);
	}

	admitted(agent: AgentId): void {
		this.processes.addAgent(agent);
		const { run, agents } = this.deps.run();
		const { pid, sandbox } = agents[agent] ?? {};
		this.frozen.release(pid);
		if (agent === ROOT) this.hasRootJoined = true;
		this.cgroup?.add(agent);
		if (this.cgroup !== undefined && sandbox !== undefined && pid !== undefined && agent !== ROOT)
			void enterOwnCgroup({ run, agent }, { pid });
		void this.cgroup?.removeOver((id) => {
			const known = this.deps.run().agents[id];
			return known === undefined || isOver(known);
		});
	}

	commandStarted(agent: AgentId, start: Omit<CommandStart, "log">): number {
		const home = this.deps.run().agents[agent]?.pid;
		return addTold({ agent, home, start }, { ...this.known, ...this.deps }) ?? start.pid;
	}

	processesOf(agent: AgentId): ProcessInfo[] {
		return this.ifLooked((look) => this.find(agent, undefined, look)) ?? [];
	}

	private ifLooked<T>(ask: (look: Look) => T): T | undefined {
		return ifSeen(() => ask(this.deps.table.look()))?.seen;
	}

	end(agent: AgentId, how: EndHow): Promise<ProcessRef[]> {
		this.cgroup?.markOver(agent);
		this.frozen.thaw((owner) => isWithin(owner, agent));
		const known = this.deps.run().agents[agent];
		if (!how.includesAgent && known?.commands === 0) return Promise.resolve([]); // without a command it has left nothing
		const ending = this.endWhatIsLeft(agent, how).finally(() => this.underWay.delete(ending));
		this.underWay.add(ending);
		return ending;
	}

	private async endWhatIsLeft(agent: AgentId, { includesAgent, isHurry }: EndHow): Promise<ProcessRef[]> {
		const exceptPid = includesAgent ? undefined : this.deps.run().agents[agent]?.pid;
		if (exceptPid !== undefined && !isHurry && this.cgroup?.isAlone(agent, exceptPid) === true) {
			this.sweepSoon(agent);
			return [];
		}
		if (!isHurry && (await this.isNothingLeft(agent, exceptPid))) return [];
		const { table, kill } = this.deps;
		const request = {
			...{ table, kill, find: (look: Look) => this.findByTable(agent, exceptPid, look) },
			...(isHurry && AT_ONCE),
			killUnseen: () => this.killUnseen(agent, exceptPid),
		};
		return endWithCgroup(request, { cgroup: this.cgroup, agent, exceptPid });
	}

	private sweepSoon(agent: AgentId): void {
		this.unswept.add(agent);
		if (this.unswept.size > 1) return;
		const waitMs = Math.max(SWEEP_MS, SWEEP_REST * this.looks.lastMs);
		this.deps.timers.after(waitMs, () => void this.sweep().catch(() => {}));
	}

	private async sweep(): Promise<void> {
		const agents = [...this.unswept];
		this.unswept.clear();
		if (agents.length === 0) return;
		const { table, kill } = this.deps;
		const leftOf = (agent: AgentId, look: Look) =>
			this.processes.within(agent, look).filter((info) => !this.processes.isAgent(info)); // these may still print answers
		const find = (look: Look) => agents.flatMap((agent) => leftOf(agent, look));
		if (find(await this.looks.fresh()).length > 0) await endProcesses({ table, kill, find });
	}

	private async isNothingLeft(agent: AgentId, exceptPid: number | undefined): Promise<boolean> {
		const look = await this.looks.shared().catch(() => undefined);
		return look !== undefined && ifSeen(() => this.find(agent, exceptPid, look))?.seen.length === 0;
	}

	private findByTable(agent: AgentId, exceptPid: number | undefined, look: Look): ProcessInfo[] {
		const found = this.processes.within(agent, look);
		return exceptPid === undefined ? found : found.filter((info) => !this.processes.isOfAgentItself(info, exceptPid));
	}

	private find(agent: AgentId, exceptPid: number | undefined, look: Look): ProcessInfo[] {
		const members = this.cgroup?.pids(agent).filter((pid) => pid !== exceptPid) ?? [];
		return withCgroupMembers(look, this.findByTable(agent, exceptPid, look), members);
	}

	freeze(agents: readonly AgentId[]): Promise<number> {
		return this.frozen.freeze(agents);
	}

	thaw(agents: readonly AgentId[]): void {
		this.frozen.thaw((owner) => agents.includes(owner));
	}

	endBreach({ agent, groups }: Breach): void {
		const exceptPid = this.deps.run().agents[agent]?.pid;
		const frozen = freezeGroups(agent, groups, this.processLimitDeps());
		this.killUnseen(agent, exceptPid);
		for (const group of frozen.freezeNew()) trySignal(-group, "SIGKILL", this.deps.kill);
		void this.end(agent, { includesAgent: false, isHurry: true });
	}

	killNow(agent: AgentId): void {
		this.killUnseen(agent, this.deps.run().agents[agent]?.pid);
	}

	private killUnseen(agent: AgentId, exceptPid: number | undefined): void {
		this.cgroup?.kill(agent, exceptPid);
		for (const group of this.processes.runningGroups(agent)) trySignal(-group, "SIGKILL", this.deps.kill);
	}

	endingOf(agent: ProcessRef) {
		return endingOfDeath(agent, this.deps.table);
	}

	isSuspended({ pid, startTime }: ProcessRef): boolean {
		const info = this.deps.table.read(pid);
		return info?.state === "T" && this.processes.isAgent({ pid, startTime });
	}

	resources(): MachineResources {
		return { ...systemResources, processCount: this.countProcesses };
	}

	checkProcessLimits(): LimitCheck {
		return checkLimits(this.processLimitDeps());
	}

	rememberOwners(): void {
		const { list } = this.deps.table.look();
		this.processes.ownersIn({ list, read: () => undefined, environment: () => undefined }, this.readCgroupOwners());
	}

	private processLimitDeps(): ProcessLimitDeps {
		const { table, run, kill } = this.deps;
		return { table, run: run(), processes: this.processes, readCgroupOwners: () => this.readCgroupOwners(), kill };
	}

	private readCgroupOwners(): (pid: number) => AgentId | undefined {
		const owners = this.cgroup?.owners();
		return (pid) => owners?.get(pid);
	}

	async idle({ isRunEnding = false } = {}): Promise<void> {
		if (isRunEnding) this.unswept.clear(); // the end of the run looks for all
		await Promise.all([...this.underWay, this.sweep(), this.isTaken]);
	}

	close(): void {
		this.cgroup?.remove();
	}
}

const REST = 4; // × the time of a look passes before the next shared one: they take a fifth of a core at most

/** Looks at the process table that take a part of the time only, however long each takes. */
class TimedLooks {
	/** For several callers: each look begins after they have asked. */
	readonly shared: () => Promise<Look>;
	/** How long the last one took. */
	lastMs = 0;
	private readonly table: ProcessTable;
	private readonly elapsed: () => number;

	constructor(table: ProcessTable, elapsed: () => number) {
		this.table = table;
		this.elapsed = elapsed;
		this.shared = shareLooks(
			() => this.fresh(),
			() => sleep(REST * this.lastMs, undefined, { ref: false }),
		);
	}

	async fresh(): Promise<Look> {
		const look = await this.table.freshLook();
		const before = this.elapsed();
		look.list();
		this.lastMs = this.elapsed() - before;
		return look;
	}
}
