/** What a supervisor knows of its run's processes: its agents and their commands by pid, and whose all others are. */

import { type AgentId, isWithin, ROOT, withAncestors } from "../../core/agent.ts";
import { parseCookie } from "../../core/cookie.ts";
import { defined } from "../../core/defined.ts";
import type { RunState } from "../../core/run-state.ts";
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
} from "../../processes/belonging.ts";
import type { Look, ProcessInfo, ProcessRef } from "../../processes/process-table.ts";
import { isSameStart } from "../../processes/start-time.ts";

export interface CommandRef extends Claim {
	readonly command: number;
}

export class RunProcesses {
	private readonly run: () => RunState;
	private readonly agents = new Map<number, Claim>();
	/** Every command ever started, by the pid of its shell. */
	private readonly commands = new Map<number, CommandRef>();
	private memory = new Map<string, AgentId>();
	private readonly byLook = new WeakMap<Look, ReadonlyMap<AgentId, ProcessInfo[]>>();

	constructor(run: () => RunState) {
		this.run = run;
		for (const id of Object.keys(run().agents)) this.addAgent(id);
	}

	addAgent(id: AgentId): void {
		const agent = this.run().agents[id];
		if (agent !== undefined) this.agents.set(agent.pid, { agent: id, startTime: agent.startTime });
	}

	addCommand(agent: AgentId, { command, pid, startTime }: ProcessRef & { command: number }): void {
		this.commands.set(pid, { agent, command, startTime });
	}

	claims(): Claims & { commandAt: (pid: number) => CommandRef | undefined } {
		const run = this.run();
		return {
			agentAt: (pid) => this.agents.get(pid),
			commandAt: (pid) => this.commands.get(pid),
			agentOfCookie: (environment) => {
				const cookie = parseCookie(environment);
				return cookie?.run === run.run ? this.nearestKnown(cookie.agent) : undefined;
			},
			startedSince: run.agents[ROOT]?.startTime ?? run.startTime,
			memory: this.memory,
		};
	}

	nearestKnown(agent: AgentId | undefined): AgentId | undefined {
		const { agents } = this.run();
		return agent === undefined ? undefined : withAncestors(agent).find((id) => agents[id] !== undefined);
	}

	/** Whose one process is; without its cookie, and with it. */
	ownerOf(info: ProcessInfo, look: Pick<Look, "read" | "environment">, mayAskCookie: boolean): AgentId | undefined {
		const { memory: _, agentOfCookie, ...claims } = this.claims();
		return createOwnerOf(look, mayAskCookie ? { ...claims, ...defined({ agentOfCookie }) } : claims)(info);
	}

	/** Of all that lives, and remembered: an orphan stays theirs, and is not asked for its cookie again. */
	ownersIn(look: Look, cgroupOwnerOf?: Claims["cgroupOwnerOf"]): Owned[] {
		const owned = ownersIn(look, { ...this.claims(), ...defined({ cgroupOwnerOf }) });
		this.memory = new Map(owned.flatMap(({ info, owner }) => (owner === undefined ? [] : [[processKey(info), owner]])));
		return owned;
	}

	/** What may be ended with the agent and all below it, its own process included. */
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

	/** The agent's own process, and what it runs beside its commands (mkfifo). */
	isOfAgentItself({ pid, startTime, parent, session }: ProcessInfo, agentPid: number): boolean {
		if (parent === agentPid && !this.commands.has(session)) return true;
		return pid === agentPid && isSameStart(this.agents.get(pid)?.startTime ?? startTime, startTime);
	}

	isAgent({ pid, startTime }: ProcessRef): boolean {
		const agent = this.agents.get(pid);
		return agent !== undefined && isSameStart(agent.startTime, startTime);
	}

	/** The first of `line` that is a command of that agent, or in the session of one: also when its shell has ended. */
	commandOn(line: Iterable<ProcessInfo>, agent: AgentId, look: Pick<Look, "read">): number | undefined {
		const claims = this.claims();
		for (const { pid, session } of line)
			for (const leader of [pid, session]) {
				const command = commandHolding(look, claims, leader);
				if (command?.agent === agent) return command.command;
			}
		return undefined;
	}

	/** The groups of the running commands at and below an agent: a command runs until its agent has told its end. */
	runningGroups(root: AgentId): number[] {
		const { agents } = this.run();
		const isRunning = ({ agent, command }: CommandRef) =>
			isWithin(agent, root) && agents[agent]?.running.some((other) => other.command === command) === true;
		return [...this.commands].flatMap(([pid, command]) => (pid > 1 && isRunning(command) ? [pid] : []));
	}
}
