/** What is below each agent, counted once for a state of the agents: each frame asks for it, of all of them. Pure. */

import { countDoings, DOINGS, type Doing, type DoingCounts, doingOf } from "../../core/doing.ts";
import { type Agent, type AgentId, compareAgentIds, isOver, parentOf, withAncestors } from "../../core/model/agent.ts";
import { type Agents, branchOf } from "../../core/run/agent-index.ts";
import { type Activity, isSilent } from "./activity.ts";
import { agentNames } from "./agent-names.ts";

export interface TreeBranch {
	/** In the order of their numbers. */
	readonly children: readonly Agent[];
	/** How many agents below do what. */
	readonly below: DoingCounts;
	/** When the last agent below has ended; undefined while one lives. */
	readonly overSince: number | undefined;
}

/** Of each agent that has some below it. */
export type TreeBranches = ReadonlyMap<AgentId, TreeBranch>;

export interface AgentTree {
	readonly branches: TreeBranches;
	/** Of a run whose record was damaged, also agents whose parent is not known. */
	readonly roots: readonly Agent[];
	/** How many agents there are. */
	readonly agents: number;
	/** How many of them do what. */
	readonly counts: DoingCounts;
	/** Those that think or run something, in no order. */
	readonly atWork: readonly Agent[];
}

/** Not for a record that is changed in place afterwards. */
export function treeOf(agents: Agents): AgentTree {
	const known = counted.get(agents);
	if (known !== undefined) return known;
	const tree = countTree(agents);
	counted.set(agents, tree);
	return tree;
}

const counted = new WeakMap<Agents, AgentTree>();

class CountedBranch implements TreeBranch {
	readonly children: Agent[] = [];
	readonly below = Object.fromEntries(DOINGS.map((doing) => [doing, 0])) as Record<Doing, number>;
	private lastEnd = 0;
	private isOver = true;

	get overSince(): number | undefined {
		return this.isOver ? this.lastEnd : undefined;
	}

	/** The child's own branch has been counted. */
	add(child: Agent, branch: CountedBranch | undefined): void {
		this.children.push(child);
		this.below[doingOf(child)]++;
		if (isOver(child)) this.lastEnd = Math.max(this.lastEnd, child.state.at);
		else this.isOver = false;
		if (branch === undefined) return;
		for (const doing of DOINGS) this.below[doing] += branch.below[doing];
		this.lastEnd = Math.max(this.lastEnd, branch.lastEnd);
		this.isOver &&= branch.isOver;
	}
}

function countTree(agents: Agents): AgentTree {
	const branches = new Map<AgentId, CountedBranch>();
	const roots: Agent[] = [];
	const all = Object.values(agents);
	for (const level of deepestFirst(all)) {
		for (const agent of level) {
			const parent = parentOf(agent.id);
			if (parent === undefined || agents[parent] === undefined) {
				roots.push(agent);
				continue;
			}
			const known = branches.get(parent);
			const above = known ?? new CountedBranch();
			if (known === undefined) branches.set(parent, above);
			above.add(agent, branches.get(agent.id));
		}
	}
	for (const { children } of branches.values()) children.sort((a, b) => numberOf(a.id) - numberOf(b.id));
	roots.sort((a, b) => compareAgentIds(a.id, b.id));
	const atWork = all.filter(({ state }) => state.is === "thinking" || state.is === "running");
	return { branches, roots, agents: all.length, counts: countDoings(all), atWork };
}

function deepestFirst(agents: readonly Agent[]): Agent[][] {
	const levels: Agent[][] = [];
	for (const agent of agents) {
		const depth = dotsIn(agent.id);
		while (levels.length <= depth) levels.push([]);
		levels[depth]?.push(agent);
	}
	return levels.reverse();
}

function dotsIn(id: AgentId): number {
	let dots = 0;
	for (let at = id.indexOf("."); at >= 0; at = id.indexOf(".", at + 1)) dots++;
	return dots;
}

/** The last number of the path. */
export function numberOf(id: AgentId): number {
	return Number(id.slice(id.lastIndexOf(".") + 1));
}

/** All agents in the order of the tree. */
export function inTreeOrder(agents: Agents): Agent[] {
	const { branches, roots } = treeOf(agents);
	const all: Agent[] = [];
	const add = (agent: Agent) => {
		all.push(agent);
		for (const child of branches.get(agent.id)?.children ?? []) add(child);
	};
	for (const root of roots) add(root);
	return all;
}

/**
 * The words in which the task of the agent differs from those of its siblings; "" for a task without words. Made anew only when
 * another sibling joins.
 */
export function nameOf(agents: Agents, id: AgentId): string {
	const agent = agents[id];
	const parent = parentOf(id);
	if (agent === undefined) return "";
	if (parent === undefined) return agentNames([agent]).get(id) ?? "";
	const { children } = branchOf(agents, parent);
	const before = named.get(children);
	const names =
		before?.size === children.size ? before : agentNames([...children].flatMap((child) => agents[child] ?? []));
	named.set(children, names);
	return names.get(id) ?? "";
}

const named = new WeakMap<ReadonlySet<AgentId>, ReadonlyMap<AgentId, string>>();

/** How many agents below each have been quiet for so long that somebody should look. Counted once a second. */
export function silentBelow(agents: Agents, activity: Activity, now: number): ReadonlyMap<AgentId, number> {
	const second = Math.floor(now / 1_000);
	const known = silentAgents.get(agents);
	if (known?.activity === activity && known.second === second) return known.silent;
	const silent = new Map<AgentId, number>();
	for (const agent of treeOf(agents).atWork) {
		if (!isSilent(agent, activity, now)) continue;
		for (const above of withAncestors(agent.id).slice(1)) silent.set(above, (silent.get(above) ?? 0) + 1);
	}
	silentAgents.set(agents, { activity, second, silent });
	return silent;
}

interface Silent {
	readonly activity: Activity;
	readonly second: number;
	readonly silent: ReadonlyMap<AgentId, number>;
}

const silentAgents = new WeakMap<Agents, Silent>();
