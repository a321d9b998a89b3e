/** The agents of a run as rows of a tree: those that are not folded away, with the tree lines before each. */
import { type Agent, type AgentId, parentOf } from "../../core/agent.ts";
import type { RunState } from "../../core/run-state.ts";

export interface TreeRow {
	readonly agent: Agent;
	/** `│ ├─` and the like; empty for the root. */
	readonly lines: string;
	readonly hasChildren: boolean;
	/** How many agents are folded away below it. */
	readonly hidden: number;
}

/** The children of each agent that has some, in the order of their numbers. */
export type Children = ReadonlyMap<AgentId, readonly Agent[]>;

export function treeRows(run: RunState, children: Children, folded: ReadonlySet<AgentId>): TreeRow[] {
	const rows: TreeRow[] = [];
	const roots = Object.values(run.agents).filter((agent) => !hasParentIn(run, agent.id));
	for (const root of roots) addRows(root, { lines: "", below: "" }, { children, folded, rows });
	return rows;
}

/** The agent itself when it has a row, else the nearest above it that has one. */
export function visibleRowOf(rows: readonly TreeRow[], id: AgentId): number {
	for (let at: AgentId | undefined = id; at !== undefined; at = parentOf(at)) {
		const index = rows.findIndex((row) => row.agent.id === at);
		if (index >= 0) return index;
	}
	return 0;
}

function hasParentIn(run: RunState, id: AgentId): boolean {
	const parent = parentOf(id);
	return parent !== undefined && run.agents[parent] !== undefined;
}

export function childrenOf(run: RunState): Children {
	const children = new Map<AgentId, Agent[]>();
	for (const agent of Object.values(run.agents)) {
		const parent = parentOf(agent.id);
		if (parent === undefined) continue;
		const siblings = children.get(parent);
		if (siblings === undefined) children.set(parent, [agent]);
		else siblings.push(agent);
	}
	for (const siblings of children.values()) siblings.sort((a, b) => numberOf(a.id) - numberOf(b.id));
	return children;
}

function numberOf(id: AgentId): number {
	return Number(id.slice(id.lastIndexOf(".") + 1));
}

interface Walk {
	readonly children: Children;
	readonly folded: ReadonlySet<AgentId>;
	readonly rows: TreeRow[];
}

function addRows(agent: Agent, prefix: { lines: string; below: string }, walk: Walk): void {
	const children = walk.children.get(agent.id) ?? [];
	const isFolded = walk.folded.has(agent.id) && children.length > 0;
	const hidden = isFolded ? countBelow(agent.id, walk.children) : 0;
	walk.rows.push({ agent, lines: prefix.lines, hasChildren: children.length > 0, hidden });
	if (isFolded) return;
	for (const [index, child] of children.entries()) {
		const isLast = index === children.length - 1;
		const lines = `${prefix.below}${isLast ? "└ " : "├ "}`;
		addRows(child, { lines, below: `${prefix.below}${isLast ? "  " : "│ "}` }, walk);
	}
}

function countBelow(id: AgentId, children: Children): number {
	return (children.get(id) ?? []).reduce((sum, child) => sum + 1 + countBelow(child.id, children), 0);
}
