/** Counts the processes of each agent and all below it against `--max-processes`. Pure. */

import { limitReached } from "../../core/limits/limits.ts";
import { type AgentId, isOver, isWithin, withAncestors } from "../../core/model/agent.ts";
import type { RunState } from "../../core/run/run-state.ts";
import { type Owned, sandboxesAmong } from "../../processes/table/belonging.ts";

/** A process limit that is exceeded. */
export interface Breach {
	/** The agent whose limit it is. */
	readonly holder: AgentId;
	/** Of the holder and those below it, the agent with the most processes of its own: the one to end. */
	readonly agent: AgentId;
	readonly reason: string;
	/** Process groups of the agent's commands and all below, in which no other process is. */
	readonly groups: readonly number[];
}

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
