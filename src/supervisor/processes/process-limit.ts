/** `--max-processes`: how many processes an agent and all below it have, and whose limit is exceeded. Pure. */
import { type AgentId, isOver, isWithin, withAncestors } from "../../core/agent.ts";
import { limitReached } from "../../core/limits.ts";
import type { RunState } from "../../core/run-state.ts";
import type { Owned } from "../../processes/belonging.ts";

export interface Breach {
	/** Whose limit it is. */
	readonly holder: AgentId;
	/** At or below it: who has most. */
	readonly agent: AgentId;
	readonly reason: string;
	/** Process groups in which there is nothing but what the agent's commands have started. */
	readonly groups: readonly number[];
}

interface Count {
	/** Agents that are over count for the nearest above that lives. */
	own: number;
	/** With those of all below. */
	whole: number;
	/** At or below: who has most. */
	most: AgentId;
}

/** The limit that is exceeded, the narrowest first. */
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

/** How many more processes there may be before any limit can be exceeded. */
export function roomLeft(owned: readonly Owned[], run: RunState): number {
	const counts = countByAgent(owned, run);
	const living = Object.values(run.agents).filter((agent) => !isOver(agent));
	return Math.min(...living.map(({ id, limits }) => limits.maxProcesses - (counts.get(id)?.whole ?? 0)));
}

function countByAgent(owned: readonly Owned[], run: RunState): Map<AgentId, Count> {
	const own = new Map<AgentId, number>();
	for (const { owner } of owned) {
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

/** One signal to a group reaches all of it at once, which no loop over a fork bomb's pids does. */
export function groupsBelow(owned: readonly Owned[], run: RunState, agent: AgentId): number[] {
	const groups = new Set<number>();
	const isTheirs = ({ info, owner }: Owned) =>
		owner !== undefined && isWithin(owner, agent) && info.pid !== run.agents[agent]?.pid;
	for (const process of owned) if (isTheirs(process)) groups.add(process.info.group);
	for (const process of owned) if (!isTheirs(process)) groups.delete(process.info.group);
	return [...groups].filter((group) => group > 1);
}
