/**
 * Whose processes there are: each belongs to the nearest agent, by the command in whose session it is, by descent, or
 * by the cookie in its environment, and whatever these say, to the agent in whose cgroup it is or to one below. One look
 * at the table for all agents of a run.
 */
import { type AgentId, isOver, isWithin, ROOT, withAncestors } from "../../core/agent.ts";
import { parseCookie } from "../../core/cookie.ts";
import { limitReached } from "../../core/limits.ts";
import type { RunState } from "../../core/run-state.ts";
import { nameOf } from "../../processes/find-processes.ts";
import { hasEnded, type ProcessInfo, type ProcessTable } from "../../processes/process-table.ts";
import { hasStartedBefore, isSameStart } from "../../processes/start-time.ts";
import { ownerBy } from "./resolve-parent.ts";
import type { CommandRef } from "./terminator.ts";

export interface OwnershipDeps {
	readonly table: Pick<ProcessTable, "list" | "environment">;
	readonly run: RunState;
	readonly commandByPid: ReadonlyMap<number, CommandRef>;
	/** In which agent's cgroup each process of the run is. */
	readonly members: ReadonlyMap<number, AgentId>;
	/**
	 * Whose each process was at earlier looks, by `nameOf`: an orphan stays theirs, and is not asked for its cookie, which
	 * takes long while it forks, for the kernel holds its memory then. Added to.
	 */
	readonly known?: Map<string, AgentId>;
}

export interface Owned {
	readonly info: ProcessInfo;
	/** Undefined for what is not of this run. */
	readonly owner: AgentId | undefined;
}

/** All that lives, the processes of others too. */
export function ownProcesses(facts: OwnershipDeps): Owned[] {
	const infos = facts.table.list().filter((info) => !hasEnded(info));
	const byPid = new Map(infos.map((info) => [info.pid, info]));
	const agents = new Map(Object.values(facts.run.agents).map((agent) => [agent.pid, agent]));
	const owners = new Map<number, AgentId | undefined>();
	/** A session or group is its leader's pid: when that pid now starts at another time, it is a later one's. */
	const commandOf = (leaderPid: number): AgentId | undefined => {
		const command = leaderPid > 1 ? facts.commandByPid.get(leaderPid) : undefined;
		const leader = byPid.get(leaderPid);
		return command === undefined || (leader !== undefined && !isSameStart(leader.startTime, command.startTime))
			? undefined
			: command.agent;
	};
	const byFacts = (info: ProcessInfo): AgentId | undefined => {
		const agent = agents.get(info.pid);
		if (agent !== undefined && isSameStart(agent.startTime, info.startTime)) return agent.id;
		return commandOf(info.session) ?? commandOf(info.group);
	};
	const ownerOf = (info: ProcessInfo): AgentId | undefined => {
		if (info.pid <= 1) return undefined; // else every orphan of the system would be that agent's
		if (owners.has(info.pid)) return owners.get(info.pid);
		owners.set(info.pid, undefined); // pids can be read in a circle while they are given anew
		const parent = byPid.get(info.parent);
		const found = byFacts(info) ?? (parent === undefined ? undefined : ownerOf(parent)) ?? byCookie(facts, info);
		const owner = ownerBy(facts.members.get(info.pid), found);
		owners.set(info.pid, owner);
		if (owner !== undefined) facts.known?.set(nameOf(info), owner);
		return owner;
	};
	return infos.map((info) => ({ info, owner: ownerOf(info) }));
}

function byCookie({ table, run, known }: OwnershipDeps, info: ProcessInfo): AgentId | undefined {
	const before = known?.get(nameOf(info));
	if (before !== undefined) return before;
	if (hasStartedBefore(info.startTime, run.agents[ROOT]?.startTime ?? run.startTime)) return undefined;
	const cookie = parseCookie(table.environment(info.pid) ?? {});
	const id = cookie?.run === run.run ? cookie.agent : undefined;
	return id !== undefined && run.agents[id] !== undefined ? id : undefined;
}

export interface Breach {
	/** Whose limit it is. */
	readonly holder: AgentId;
	/** At or below it: who has most. */
	readonly agent: AgentId;
	readonly reason: string;
}

/** The limit that is exceeded, the narrowest first. Agents that are over count for the nearest above that lives. */
export function findBreach(owned: readonly Owned[], run: RunState): Breach | undefined {
	const own = countByAgent(owned, run);
	const alive = [...own.keys()].sort((a, b) => limitOf(run, a) - limitOf(run, b) || b.length - a.length);
	for (const holder of alive) {
		const within = alive.filter((id) => isWithin(id, holder));
		const count = within.reduce((sum, id) => sum + (own.get(id) ?? 0), 0);
		if (count <= limitOf(run, holder)) continue;
		const agent = within.reduce((most, id) => ((own.get(id) ?? 0) > (own.get(most) ?? 0) ? id : most), holder);
		const { reason } = limitReached("maxProcesses", { most: limitOf(run, holder), holder });
		const detail = `${count} processes, ${own.get(agent)} of them of agent ${agent}`;
		return { holder, agent, reason: `${reason}: ${detail}` };
	}
	return undefined;
}

function countByAgent(owned: readonly Owned[], run: RunState): Map<AgentId, number> {
	const own = new Map<AgentId, number>();
	for (const { owner } of owned) {
		const holder = owner === undefined ? undefined : withAncestors(owner).find((id) => isAlive(run, id));
		if (holder !== undefined) own.set(holder, (own.get(holder) ?? 0) + 1);
	}
	for (const id of [...own.keys()])
		for (const above of withAncestors(id)) if (isAlive(run, above) && !own.has(above)) own.set(above, 0);
	return own;
}

function isAlive(run: RunState, id: AgentId): boolean {
	const agent = run.agents[id];
	return agent !== undefined && !isOver(agent);
}

function limitOf(run: RunState, id: AgentId): number {
	return run.agents[id]?.limits.maxProcesses ?? Number.POSITIVE_INFINITY;
}

/**
 * The process groups in which there is nothing but what the agent's commands have started. One signal to a group
 * reaches all of it at once, which no loop over a fork bomb's pids does.
 */
export function groupsBelow(owned: readonly Owned[], run: RunState, agent: AgentId): number[] {
	const groups = new Set<number>();
	const isTheirs = ({ info, owner }: Owned) =>
		owner !== undefined && isWithin(owner, agent) && info.pid !== run.agents[agent]?.pid;
	for (const process of owned) if (isTheirs(process)) groups.add(process.info.group);
	for (const process of owned) if (!isTheirs(process)) groups.delete(process.info.group);
	return [...groups].filter((group) => group > 1);
}
