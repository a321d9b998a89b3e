/**
 * The rows of the tree: agents that are not folded away, with the lines of the tree before each, or a list of them. A filter
 * leaves those that match, what is above them, and the agent that is selected, which nothing may take from under the cursor.
 */
import {
	type Agent,
	type AgentId,
	isOver,
	isWithin,
	parentOf,
	ROOT,
	withAncestors,
} from "../../../core/model/agent.ts";
import type { RunState } from "../../../core/run/run-state.ts";
import { type TreeBranch, type TreeBranches, treeOf } from "../../../view/agents/agent-tree.ts";
import { filterMatches, type Searched } from "./agent-search.ts";
import { FILTER, type Folds, filterText, isOpen, type UiState } from "./ui-state.ts";

export interface TreeRow {
	readonly agent: Agent;
	/** `│├` and the like; empty for a root, and in a list. */
	readonly guides: string;
	readonly fold: "open" | "folded" | "none";
	/** The agent does not match the filter. */
	readonly isContext: boolean;
}

/** So long after the last agent of a branch has ended, the branch folds by itself. */
const FOLDS_AFTER_MS = 20_000;

export interface ShownTree extends Searched {
	readonly run: RunState;
	readonly ui: UiState;
}

export function treeRows(shown: ShownTree, matching = matchingAgents(shown)): TreeRow[] {
	const { run, ui } = shown;
	const { order } = ui.tree;
	if (order.is === "list") return listRows(run, order.ids, matching, ui.selected);
	const { branches, roots } = treeOf(run.agents);
	const kept = matching && withAbove([...matching, ui.selected]);
	const walk: Walk = { branches, isFolded: foldsOf(shown), kept, matching, rows: [] };
	for (const root of roots) addRows(root, { guides: "", below: "" }, walk);
	return walk.rows;
}

/** The agents that match the filter; undefined without one. */
export function matchingAgents(shown: ShownTree): ReadonlySet<AgentId> | undefined {
	const filter = filterText(shown.ui).trim();
	const { isAliveOnly } = shown.ui.tree;
	if (filter === "" && !isAliveOnly) return undefined;
	const isWanted = filterMatches(filter, shown);
	const isMatch = (agent: Agent) => !(isAliveOnly && isOver(agent)) && isWanted(agent);
	return new Set(Object.values(shown.run.agents).flatMap((agent) => (isMatch(agent) ? [agent.id] : [])));
}

/** The agent itself when it has a row, else the nearest above it that has one. */
export function visibleRowOf(rows: readonly TreeRow[], id: AgentId): number {
	for (const at of withAncestors(id)) {
		const index = rows.findIndex((row) => row.agent.id === at);
		if (index >= 0) return index;
	}
	return 0;
}

/** The agents, and all above them. */
function withAbove(agents: readonly AgentId[]): ReadonlySet<AgentId> {
	const all = new Set<AgentId>();
	for (const agent of agents)
		for (let id: AgentId | undefined = agent; id !== undefined && !all.has(id); id = parentOf(id)) all.add(id);
	return all;
}

/** Agents that are not in the order joined after it was made. */
function listRows(
	{ agents }: RunState,
	ids: readonly AgentId[],
	matching: ReadonlySet<AgentId> | undefined,
	selected: AgentId,
): TreeRow[] {
	const listed = new Set(ids);
	const others = Object.keys(agents).filter((id) => !listed.has(id));
	return [...ids, ...others].flatMap((id) => {
		const agent = agents[id];
		const isContext = matching?.has(id) === false;
		const isShown = agent !== undefined && (!isContext || id === selected);
		return isShown ? [{ agent, guides: "", fold: "none", isContext } as const] : [];
	});
}

type IsFolded = (agent: Agent, branch: TreeBranch) => boolean;

/** What a person has folded or unfolded stays so; while a filter is typed, and its rows are few, nothing is folded. */
function foldsOf({ run, ui, view }: ShownTree): IsFolded {
	const isFiltered = filterText(ui).trim() !== "" || ui.tree.isAliveOnly;
	const isTyping = isFiltered && isOpen(ui, FILTER);
	const folds: Folds = isTyping ? new Map() : ui.tree.folds;
	const mayFold = ui.tree.foldsEnded && !isFiltered;
	const before = endOf(run, view.sight.now) - FOLDS_AFTER_MS;
	return (agent, { overSince }) => {
		const chosen = folds.get(agent.id);
		if (chosen !== undefined || !mayFold || agent.id === ROOT) return chosen ?? false;
		return (
			overSince !== undefined &&
			isOver(agent) &&
			Math.max(overSince, agent.state.at) <= before &&
			!isInside(agent.id, ui)
		);
	};
}

/** When the last thing happened in a run that is over, or whose supervisor is gone: after it nothing folds any more. */
function endOf({ agents, ended }: RunState, now: number): number {
	const root = agents[ROOT]?.state;
	return ended?.at ?? (root?.is === "ended" ? root.at : now);
}

/** The selected agent is below this one. */
function isInside(id: AgentId, { selected }: UiState): boolean {
	return selected !== id && isWithin(selected, id);
}

interface Walk {
	readonly branches: TreeBranches;
	readonly isFolded: IsFolded;
	readonly kept: ReadonlySet<AgentId> | undefined;
	readonly matching: ReadonlySet<AgentId> | undefined;
	readonly rows: TreeRow[];
}

function addRows(agent: Agent, { guides, below }: { guides: string; below: string }, walk: Walk): void {
	const { branches, kept, rows } = walk;
	const branch = branches.get(agent.id);
	const isFolded = branch !== undefined && walk.isFolded(agent, branch);
	const fold = branch === undefined ? "none" : isFolded ? "folded" : "open";
	rows.push({ agent, guides, fold, isContext: walk.matching?.has(agent.id) === false });
	if (branch === undefined || isFolded) return;
	const children = kept === undefined ? branch.children : branch.children.filter(({ id }) => kept.has(id));
	const last = children.at(-1);
	const others = { guides: `${below}├`, below: `${below}│` };
	for (const child of children)
		addRows(child, child === last ? { guides: `${below}└`, below: `${below} ` } : others, walk);
}

/**
 * Which rows of the tree are in the pane. The anchor, an agent that was selected by the last key, stays in its row of the pane
 * whatever appears, folds or goes above it; the pane moves only where the selected row would be outside of it. Pure.
 */

export interface TreeWindow {
	/** The index of the first row in the pane. */
	readonly first: number;
	/** The index of the selected row. */
	readonly selected: number;
}

export function treeWindow(rows: readonly TreeRow[], ui: UiState, height: number): TreeWindow {
	const { anchor } = ui.tree;
	const selected = visibleRowOf(rows, ui.selected);
	const anchored = anchor.agent === ui.selected ? selected : visibleRowOf(rows, anchor.agent);
	const first = within(anchored - Math.min(anchor.row, height - 1), 0, rows.length - height);
	return { selected, first: within(first, selected - height + 1, selected) };
}

/** The selected agent becomes the anchor, in the row of the pane where it is. */
export function anchored(ui: UiState, rows: readonly TreeRow[], height: number): UiState {
	const { first, selected } = treeWindow(rows, ui, height);
	const anchor = { agent: rows[selected]?.agent.id ?? ui.selected, row: selected - first };
	const { agent, row } = ui.tree.anchor;
	return agent === anchor.agent && row === anchor.row ? ui : { ...ui, tree: { ...ui.tree, anchor } };
}

function within(value: number, least: number, most: number): number {
	return Math.max(least, Math.min(value, Math.max(least, most)));
}
