/** Counts the processes of each agent and all below it against `--max-processes`. Pure. */

import { limitReached } from "../../core/limits/limits.ts";
import { type AgentId, isOver, isWithin, withAncestors } from "../../core/model/agent.ts";
import { parseCookie } from "../../core/run/cookie.ts";
import type { RunState } from "../../core/run/run-state.ts";
import type { Claims } from "../../processes/table/belonging.ts";
import { type Owned, sandboxesAmong } from "../../processes/table/belonging.ts";
import type { SendSignal } from "../../processes/table/end-processes.ts";
import { ifSeen, type Look, type ProcessTable } from "../../processes/table/process-table.ts";
import type { Breach, LimitCheck } from "./machine.ts";
import type { RunProcesses } from "./run-processes.ts";

interface Count {
	/** The agent's own processes, and those of agents below that are over. */
	own: number;
	/** `own` and those of all living agents below. */
	whole: number;
	/** The agent with the most of its own, at or below this one. */
	most: AgentId;
}

/** The narrowest limit that is exceeded; undefined when all are kept. */
export function findBreach(owned: readonly Owned[], run: RunState): Breach | undefined {
	const counts = countByAgent(owned, run);
	const holders = [...counts.keys()].sort((a, b) => limitOf(run, a) - limitOf(run, b) || b.length - a.length);
	const holder = holders.find((id) => (counts.get(id)?.whole ?? 0) > limitOf(run, id));
	const count = holder === undefined ? undefined : counts.get(holder);
	if (holder === undefined || count === undefined) return undefined;
	const { whole, most: agent } = count;
	const { reason } = limitReached("maxProcesses", { most: limitOf(run, holder), holder });
	const detail = `${whole} processes, ${counts.get(agent)?.own} of them of agent ${agent}`;
	return { holder, agent, reason: `${reason}: ${detail}`, groups: groupsBelow(owned, run, agent) };
}

/** How many more processes may begin before a limit can be exceeded. */
export function roomLeft(owned: readonly Owned[], run: RunState): number {
	const counts = countByAgent(owned, run);
	const living = Object.values(run.agents).filter((agent) => !isOver(agent));
	return Math.min(...living.map(({ id, limits }) => limits.maxProcesses - (counts.get(id)?.whole ?? 0)));
}

function countByAgent(owned: readonly Owned[], run: RunState): Map<AgentId, Count> {
	const own = new Map<AgentId, number>();
	const agentPids = new Set(Object.values(run.agents).map(({ pid }) => pid));
	const isOfSandbox = sandboxesAmong(
		owned.map(({ info }) => info),
		(pid) => agentPids.has(pid),
	);
	for (const { info, owner } of owned) {
		if (isOfSandbox(info)) continue;
		const holder = owner === undefined ? undefined : withAncestors(owner).find((id) => isAlive(run, id));
		if (holder !== undefined) own.set(holder, (own.get(holder) ?? 0) + 1);
	}
	const counts = new Map<AgentId, Count>();
	const ownOf = (id: AgentId) => own.get(id) ?? 0;
	for (const [agent, number] of own)
		for (const above of withAncestors(agent)) {
			if (!isAlive(run, above)) continue;
			const { whole, most } = counts.get(above) ?? { whole: 0, most: above };
			const isMost = number > ownOf(most);
			counts.set(above, { own: ownOf(above), whole: whole + number, most: isMost ? agent : most });
		}
	return counts;
}

function isAlive(run: RunState, id: AgentId): boolean {
	const agent = run.agents[id];
	return agent !== undefined && !isOver(agent);
}

function limitOf(run: RunState, id: AgentId): number {
	return run.agents[id]?.limits.maxProcesses ?? Number.POSITIVE_INFINITY;
}

/**
 * The process groups that hold only processes of the agent and those below, without the agent's own process. One signal to a
 * group reaches all of it at once, which a loop over the pids of a fork bomb does not.
 */
export function groupsBelow(owned: readonly Owned[], run: RunState, agent: AgentId): number[] {
	const groups = new Set<number>();
	const isBelow = ({ info, owner }: Owned) =>
		owner !== undefined && isWithin(owner, agent) && info.pid !== run.agents[agent]?.pid;
	for (const process of owned) if (isBelow(process)) groups.add(process.info.group);
	for (const process of owned) if (!isBelow(process)) groups.delete(process.info.group);
	return [...groups].filter((group) => group > 1);
}

/**
 * Enforces `--max-processes`. Processes that exceed the limit may be a fork bomb, so they are frozen before anything else is
 * done. Most are found by descent and session, since reading environments is expensive.
 */

const MAX_FREEZE_ROUNDS = 10;

export interface ProcessLimitDeps {
	readonly table: Pick<ProcessTable, "look">;
	readonly run: RunState;
	readonly processes: RunProcesses;
	/** Reads all of the run's cgroups, and gives the function that says in which agent's a process is. */
	readonly readCgroupOwners: () => NonNullable<Claims["cgroupOwnerOf"]>;
	readonly kill: SendSignal | undefined;
}

/** Counts the processes of all agents: first without their cookies, then, unless a limit is exceeded, with them. */
export function checkLimits({ table, run, processes, readCgroupOwners }: ProcessLimitDeps): LimitCheck {
	const look = table.look();
	const infos = look.list();
	const cgroupOwnerOf = readCgroupOwners();
	let room = Number.POSITIVE_INFINITY;
	for (const environment of [() => undefined, boundedReads(look.environment, run)]) {
		const owned = processes.ownersIn({ list: () => infos, read: look.read, environment }, cgroupOwnerOf);
		const breach = findBreach(owned, run);
		if (breach !== undefined) return { is: "breached", breach };
		room = roomLeft(owned, run);
	}
	return { is: "kept", room };
}

/** Reads environments until there were more cookies than the widest limit allows: that many exceed any limit. */
function boundedReads(environment: Look["environment"], run: RunState): Look["environment"] {
	const living = Object.values(run.agents).filter((agent) => !isOver(agent));
	const enough = Math.max(...living.map(({ limits }) => limits.maxProcesses));
	let found = 0;
	return (pid) => {
		const read = found > enough ? undefined : environment(pid);
		if (parseCookie(read ?? {}) !== undefined) found += 1;
		return read;
	};
}

/**
 * Stops the process groups at once. `freezeNew` then stops the groups that these had started before they were stopped, and
 * gives all groups that are stopped.
 */
export function freezeGroups(
	agent: AgentId,
	groups: readonly number[],
	deps: ProcessLimitDeps,
): { freezeNew(): ReadonlySet<number> } {
	const frozen = new Set<number>();
	const freeze = (some: readonly number[]) => {
		for (const group of some) trySignal(-group, "SIGSTOP", deps.kill);
		for (const group of some) frozen.add(group);
	};
	const freezeRest = () => {
		for (let round = 0; round < MAX_FREEZE_ROUNDS; round++) {
			const { list, read, environment } = deps.table.look();
			const look = { list, read, environment: boundedReads(environment, deps.run) };
			const owned = deps.processes.ownersIn(look, deps.readCgroupOwners()); // the stopped parents are alive, so descent finds their children
			const others = groupsBelow(owned, deps.run, agent).filter((group) => !frozen.has(group));
			if (others.length === 0) return;
			freeze(others);
		}
	};
	freeze(groups);
	return {
		freezeNew: () => {
			ifSeen(freezeRest);
			return frozen;
		},
	};
}

/** Sends a signal and ignores that it cannot be sent: the process has just ended, or is another user's. `pid` below 0: to a group. */
export function trySignal(
	pid: number,
	signal: "SIGSTOP" | "SIGCONT" | "SIGKILL",
	send: SendSignal = (target, name) => process.kill(target, name),
): void {
	try {
		send(pid, signal);
	} catch {}
}
