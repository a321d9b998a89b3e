/** What the supervisor knows of its run's processes: agents and commands by pid, and the owners of all others. */

import type { CommandStart } from "../../core/bash-call.ts";
import { defined } from "../../core/defined.ts";
import { type AgentId, isWithin, ROOT, withAncestors } from "../../core/model/agent.ts";
import { parseCookie, tokenIn } from "../../core/run/cookie.ts";
import type { RunState } from "../../core/run/run-state.ts";
import { markOf, readMark } from "../../processes/run-mark.ts";
import {
	type Claim,
	type Claims,
	commandHolding,
	createOwnerOf,
	mayEnd,
	type Owned,
	ownersIn,
	processKey,
	thisProcess,
} from "../../processes/table/belonging.ts";
import { createProcInSeconds, hasProc } from "../../processes/table/open-table.ts";
import { hostPid, type NamespaceFacts } from "../../processes/table/pid-namespace.ts";
import {
	hasStartedBefore,
	ifSeen,
	isSameStart,
	type Look,
	type ProcessInfo,
	type ProcessRef,
	type ProcessTable,
} from "../../processes/table/process-table.ts";

export class RunProcesses {
	private readonly run: () => RunState;
	private readonly agents = new Map<number, Claim>();
	private readonly commands = new KnownCommands();
	private readonly agentOfToken: (token: string) => AgentId | undefined;
	/** The owners found by the last look, by `processKey`. */
	private memory = new Map<string, AgentId>();
	/** The processes by owner, for each look that is still in use. */
	private readonly byLook = new WeakMap<Look, ReadonlyMap<AgentId, ProcessInfo[]>>();

	constructor(run: () => RunState, agentOfToken: (token: string) => AgentId | undefined) {
		this.run = run;
		this.agentOfToken = agentOfToken;
		for (const id of Object.keys(run().agents)) this.addAgent(id);
	}

	addAgent(id: AgentId): void {
		const agent = this.run().agents[id];
		if (agent !== undefined) this.agents.set(agent.pid, { agent: id, startTime: agent.startTime });
	}

	/** Takes in what an agent tells of its command. Without a look, as where one is costly, the command stays in doubt. */
	addCommand(told: ToldCommand, look?: Pick<Look, "read" | "environment">): void {
		const shell = look?.read(told.pid);
		if (look === undefined || shell === undefined) return this.commands.doubt(told);
		if (!this.isAgent(shell)) this.commands.prove(told, shell, this.ownerOf(shell, look, true));
	}

	claims(): Claims & { commandAt: (pid: number) => CommandRef | undefined } {
		const run = this.run();
		const mark = markOf(run.run);
		return {
			agentAt: (pid) => this.agents.get(pid),
			commandAt: (pid) => this.commands.at(pid),
			agentOfCookie: (environment, isForgeable) => {
				const cookie = isForgeable ? undefined : parseCookie(environment);
				const named = cookie?.run === run.run ? cookie.agent : undefined;
				return this.nearestKnown(named ?? this.agentOfToken(tokenIn(environment) ?? ""));
			},
			agentOfMark: (pid) => (readMark(pid) === mark ? this.nearestKnown(ROOT) : undefined),
			...defined({ ownUid: process.getuid?.() }),
			startedSince: run.agents[ROOT]?.startTime ?? run.startTime,
			memory: this.memory,
		};
	}

	/** The agent, or the nearest one above it that is in the run's state. */
	nearestKnown(agent: AgentId | undefined): AgentId | undefined {
		const { agents } = this.run();
		return agent === undefined ? undefined : withAncestors(agent).find((id) => agents[id] !== undefined);
	}

	/** The owner of one process. `mayRemember`: its cookie counts, too, and what an earlier look has found. */
	ownerOf(info: ProcessInfo, look: Pick<Look, "read" | "environment">, mayRemember: boolean): AgentId | undefined {
		const claims = this.claims();
		const { memory: _, agentOfCookie: __, ...byPlace } = claims;
		return createOwnerOf(look, mayRemember ? claims : byPlace)(info);
	}

	/** The owners of all living processes. They are remembered: an orphan keeps its owner, and its cookie is not read again. */
	ownersIn(look: Look, cgroupOwnerOf?: Claims["cgroupOwnerOf"]): Owned[] {
		const find = () => ownersIn(look, { ...this.claims(), ...defined({ cgroupOwnerOf }) });
		const first = find();
		const owned = this.commands.settle(look.list(), first) ? find() : first;
		this.memory = new Map(owned.flatMap(({ info, owner }) => (owner === undefined ? [] : [[processKey(info), owner]])));
		return owned;
	}

	/** The processes of the agent and all below it that may be ended, the agent's own included. */
	within(agent: AgentId, look: Look): ProcessInfo[] {
		const byOwner = this.byLook.get(look) ?? this.byOwner(look);
		this.byLook.set(look, byOwner);
		return [...byOwner].flatMap(([owner, infos]) => (isWithin(owner, agent) ? infos : []));
	}

	private byOwner(look: Look): ReadonlyMap<AgentId, ProcessInfo[]> {
		const byOwner = new Map<AgentId, ProcessInfo[]>();
		const asker = thisProcess();
		for (const { info, owner } of this.ownersIn(look)) {
			if (owner === undefined || !mayEnd(info, asker)) continue;
			const infos = byOwner.get(owner);
			if (infos === undefined) byOwner.set(owner, [info]);
			else infos.push(info);
		}
		return byOwner;
	}

	/** The processes of commands, which may be ended, with their agents. Agents, and what they run beside commands, are none. */
	commandsIn(look: Look, cgroupOwnerOf: Claims["cgroupOwnerOf"]): Owned[] {
		const { agents } = this.run();
		const asker = thisProcess();
		return this.ownersIn(look, cgroupOwnerOf).filter(({ info, owner }) => {
			if (owner === undefined || !mayEnd(info, asker) || this.isAgent(info)) return false;
			return !this.isOfAgentItself(info, agents[owner]?.pid ?? 0);
		});
	}

	/** True for the agent's own process, and for what that runs beside its commands (mkfifo). */
	isOfAgentItself({ pid, startTime, parent, session }: ProcessInfo, agentPid: number): boolean {
		if (parent === agentPid && this.commands.at(session) === undefined) return true;
		return pid === agentPid && isSameStart(this.agents.get(pid)?.startTime ?? startTime, startTime);
	}

	isAgent({ pid, startTime }: ProcessRef): boolean {
		const agent = this.agents.get(pid);
		return agent !== undefined && isSameStart(agent.startTime, startTime);
	}

	/**
	 * The command of that agent to which the first of `line` belongs, as its shell or in its session, even after the
	 * shell's end.
	 */
	commandOn(line: Iterable<ProcessInfo>, agent: AgentId, look: Pick<Look, "read">): number | undefined {
		const claims = this.claims();
		for (const { pid, session } of line)
			for (const leader of [pid, session]) {
				const command = commandHolding(look, claims, leader);
				if (command?.agent === agent) return command.command;
			}
		return undefined;
	}

	/** The process groups of the running commands of an agent and all below. A command runs until its agent tells its end. */
	runningGroups(root: AgentId): number[] {
		const { agents } = this.run();
		const isRunning = ({ agent, command }: CommandRef) =>
			isWithin(agent, root) && agents[agent]?.running.some((other) => other.command === command) === true;
		return [...this.commands.entries()].flatMap(([pid, command]) => (isRunning(command) ? [pid] : []));
	}
}

/**
 * The commands of a run by the pid of their shell, which is also the number of their session and process group. That an
 * agent has started a command is its word alone, and what is in the session is ended with the agent. So a command counts
 * once its shell has been seen and belongs to the agent. One whose shell was over by then is in doubt: it counts when
 * another process of its session belongs to the agent without it, since sessions are begun and never joined.
 */
interface CommandRef extends Claim {
	readonly command: number;
}

/** A command as its agent tells of it, with the pid that its shell has here. */
type ToldCommand = ProcessRef & CommandRef;

export class KnownCommands {
	private readonly proven = new Map<number, CommandRef>();
	private readonly doubted = new Map<number, CommandRef>();

	/** The command whose shell has or had that pid. */
	at(pid: number): CommandRef | undefined {
		return this.proven.get(pid);
	}

	entries(): Iterable<[number, CommandRef]> {
		return this.proven;
	}

	/** Takes a command in by its shell, a process that is no agent and belongs to `owner`. */
	prove({ pid, ...told }: ToldCommand, shell: ProcessInfo, owner: AgentId | undefined): void {
		const isShell = shell.session === pid && isSameStart(shell.startTime, told.startTime) && owner === told.agent;
		const known = this.proven.get(pid);
		if (isShell && !(known !== undefined && isSameStart(known.startTime, told.startTime))) this.proven.set(pid, told);
	}

	/** Keeps a command in doubt whose shell has not been seen. */
	doubt({ pid, ...told }: ToldCommand): void {
		if (pid > 1 && !this.proven.has(pid)) this.doubted.set(pid, told);
	}

	/**
	 * Settles by a look what is in doubt, and forgets commands of which nothing lives any more: the number of their session
	 * may become another's. `owned` are the living ones of `all`. True when a command has been proven.
	 */
	settle(all: readonly ProcessInfo[], owned: readonly Owned[]): boolean {
		this.forgetOver(all);
		if (this.doubted.size === 0) return false;
		const before = this.proven.size;
		const living = new Set(owned.map(({ info }) => info.pid));
		for (const { info, owner } of owned) {
			const told = owner === undefined ? undefined : this.doubted.get(info.session);
			if (told === undefined || owner === undefined || !isWithin(owner, told.agent)) continue;
			if (info.pid === info.session) this.prove({ pid: info.pid, ...told }, info, owner);
			else if (!living.has(info.session)) this.proven.set(info.session, told);
		}
		for (const pid of this.proven.keys()) this.doubted.delete(pid);
		return this.proven.size > before;
	}

	private forgetOver(all: readonly ProcessInfo[]): void {
		const [first] = all;
		if (first === undefined || this.proven.size + this.doubted.size === 0) return;
		const numbers = new Set(all.flatMap(({ pid, session, group }) => [pid, session, group]));
		let newest = first.startTime;
		for (const { startTime } of all) if (hasStartedBefore(newest, startTime)) newest = startTime;
		for (const commands of [this.proven, this.doubted])
			for (const [pid, { startTime }] of commands)
				if (!numbers.has(pid) && hasStartedBefore(startTime, newest)) commands.delete(pid); // a look may be older than a command
	}
}

/** Takes in a command that an agent tells of, as far as the kernel shows its shell. */

interface Told {
	readonly agent: AgentId;
	/** The agent's own pid; undefined when the run does not know the agent. */
	readonly home: number | undefined;
	readonly start: Pick<CommandStart, "command" | "pid" | "startTime">;
}

interface ToldDeps {
	readonly table: ProcessTable;
	readonly processes: RunProcesses;
	readonly facts: NamespaceFacts;
	/** That of the supervisor. */
	readonly pidNamespace: string | null;
}

/** Gives the pid that the shell has here; undefined when the shell is not to be seen. */
export function addTold(told: Told, { processes, ...deps }: ToldDeps): number | undefined {
	const look = cheapLook(deps.table);
	const pid = pidHere(told, deps);
	if (pid === undefined) return undefined;
	const { agent, start } = told;
	const command = { agent, command: start.command, pid, startTime: start.startTime };
	if (ifSeen(() => processes.addCommand(command, look)) === undefined) processes.addCommand(command, undefined);
	return pid;
}

/** Where a look starts a process there is no time for one at each command; beside `ps` there may be a /proc. */
function cheapLook(table: ProcessTable): Pick<Look, "read" | "environment"> | undefined {
	if (!table.isCostly) return table;
	return hasProc() ? createProcInSeconds() : undefined;
}

/** An agent in a pid namespace of its own tells the pid that its shell has there. */
function pidHere({ home, start: { pid } }: Told, deps: Omit<ToldDeps, "processes">): number | undefined {
	const { table, facts, pidNamespace: own } = deps;
	const pidNamespace = own === null || home === undefined ? own : facts.namespaceOf(home);
	if (pidNamespace === undefined) return pid; // the agent is over
	const pids = () => ifSeen(() => table.look().list())?.seen.map((info) => info.pid) ?? [];
	return hostPid({ pid, pidNamespace }, { own, pids, facts, mayBeOver: true });
}
