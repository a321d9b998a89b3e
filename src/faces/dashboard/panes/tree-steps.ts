/** What the keys of the tree do, but for those that look for agents. */

import { type Agent, type AgentId, compareAgentIds, withAncestors } from "../../../core/model/agent.ts";
import { totalTokens } from "../../../core/model/usage.ts";
import { fieldWith } from "../../../tui/editor/text-field.ts";
import { inTreeOrder } from "../../../view/agents/agent-tree.ts";
import type { AgentView, RunView } from "../../../view/agents/run-view.ts";
import { textMatches } from "../scene/agent-search.ts";
import { type Action, distanceOf, pagesOf } from "../scene/keys.ts";
import type { Step } from "../scene/pane.ts";
import type { Scene } from "../scene/scene.ts";
import { anchored, type TreeRow, treeRows, visibleRowOf } from "../scene/tree-rows.ts";
import {
	choose,
	END,
	FILTER,
	type ListOrder,
	nextOrder,
	noticed,
	opened,
	select,
	type TreeChoices,
	type UiState,
	withEntry,
	withFolds,
} from "../scene/ui-state.ts";

export const TREE = "tree";

/** The selected agent stays in its row of the pane where that is possible. */
export function treeStep(action: Action, scene: Scene, height: number): Step | undefined {
	const before = anchored(scene.ui, scene.rows, height);
	const ui = uiAfter(action, { ...scene, ui: before, height });
	return ui && { ui: settled(ui, scene, height) };
}

/** The agent is selected because a person wants it: the selection follows no other any more. */
export function selectAgent(scene: Scene, agent: Agent, height: number): UiState {
	return settled(choose(anchored(scene.ui, scene.rows, height), agent.id), scene, height);
}

function settled(ui: UiState, scene: Scene, height: number): UiState {
	return anchored(ui, treeRows({ ...scene, ui }), height);
}

/** `height`: how many agents the pane shows. */
interface TreeScene extends Scene {
	readonly height: number;
}

function uiAfter(action: Action, scene: TreeScene): UiState | undefined {
	const { ui, rows, height } = scene;
	const at = visibleRowOf(rows, ui.selected);
	const by = distanceOf(action, pagesOf(height));
	if (by !== undefined) return selectRow(ui, at + by, rows);
	switch (action) {
		case "follow":
			return ui.follow.is === "on" ? { ...ui, follow: { is: "off" } } : follow(ui, rows);
		default:
			return foldingAfter(action, scene, rows[at]) ?? choosingAfter(action, scene) ?? lookingAfter(action, scene);
	}
}

function selectRow(ui: UiState, row: number, rows: readonly TreeRow[]): UiState {
	const found = rows[Math.max(0, Math.min(row, rows.length - 1))];
	return found === undefined ? ui : choose(ui, found.agent.id);
}

function foldingAfter(action: Action, scene: Scene, row: TreeRow | undefined): UiState | undefined {
	const { ui, rows, branches } = scene;
	switch (action) {
		case "fold":
			return row === undefined || row.fold === "none" ? ui : folded(ui, row, row.fold === "open");
		case "fold_in":
			if (row?.fold === "open") return folded(ui, row, true);
			return row === undefined || row.guides === "" ? ui : selectRow(ui, parentRow(rows, row), rows);
		case "fold_out":
			if (row?.fold === "folded") return folded(ui, row, false);
			return row?.fold === "open" ? selectRow(ui, rows.indexOf(row) + 1, rows) : ui;
		case "fold_all": {
			const tree = withFolds(ui.tree, branchesBelowRoots(scene), true);
			const shown = treeRows({ ...scene, ui: { ...ui, tree } });
			return selectRow({ ...ui, tree }, visibleRowOf(shown, ui.selected), shown);
		}
		case "unfold_all":
			return { ...ui, tree: withFolds(ui.tree, branches.keys(), false) };
		case "fold_ended": {
			const foldsEnded = !ui.tree.foldsEnded;
			const text = foldsEnded ? "finished branches fold automatically" : "finished branches stay open";
			return noticed({ ...ui, tree: { ...ui.tree, foldsEnded } }, text, { tone: "plain", now: scene.now });
		}
		default:
			return undefined;
	}
}

/** A fold takes the place of whatever was selected below it. */
function folded(ui: UiState, { agent }: TreeRow, isFolded: boolean): UiState {
	return { ...select(ui, agent.id), tree: withFolds(ui.tree, [agent.id], isFolded) };
}

/** Below a filter the parent has a row, too. */
function parentRow(rows: readonly TreeRow[], { agent }: TreeRow): number {
	const at = agent.id.lastIndexOf(".");
	return visibleRowOf(rows, at < 0 ? agent.id : agent.id.slice(0, at));
}

/** The root alone would be no tree: it stays open. */
function branchesBelowRoots({ branches, run }: Scene): AgentId[] {
	return [...branches.keys()].filter((id) => run.agents[id.slice(0, Math.max(0, id.lastIndexOf(".")))] !== undefined);
}

/** Which agents have rows, and in which order. */
function choosingAfter(action: Action, scene: TreeScene): UiState | undefined {
	const { ui } = scene;
	const { filter, isAliveOnly, order } = ui.tree;
	const withTree = (tree: TreeChoices): UiState => ({ ...ui, tree });
	switch (action) {
		case "filter":
			return withEntry(opened(ui, FILTER), fieldWith(filter));
		case "alive_only":
			return withTree(filtered(ui.tree, { filter, isAliveOnly: !isAliveOnly }));
		case "cancel":
			return filter === "" && !isAliveOnly
				? undefined
				: withTree(filtered(ui.tree, { filter: "", isAliveOnly: false }));
		case "sort":
			return ordered(scene, nextOrder(ui.tree));
		case "sort_anew":
			return order.is === "tree" ? ui : ordered(scene, order.by);
		default:
			return undefined;
	}
}

/** What is folded while a filter is in force is forgotten with it, since it leaves few rows of which none hides another. */
export function filtered(
	tree: TreeChoices,
	{ filter, isAliveOnly }: Pick<TreeChoices, "filter" | "isAliveOnly">,
): TreeChoices {
	const { foldsBefore = tree.folds, ...rest } = tree;
	if (filter === "" && !isAliveOnly) return { ...rest, filter, isAliveOnly, folds: foldsBefore };
	return { ...rest, filter, isAliveOnly, folds: new Map(), foldsBefore };
}

/** A list is shown from its top; when the selected agent is not there, the first one is selected. */
function ordered(scene: TreeScene, by: "tree" | ListOrder): UiState {
	const { ui, view } = scene;
	if (by === "tree") return { ...ui, tree: { ...ui.tree, order: { is: "tree" } } };
	const ids = sortedAgents(view, by);
	const sorted: UiState = { ...ui, tree: { ...ui.tree, order: { is: "list", by, ids } } };
	const rows = treeRows({ ...scene, ui: sorted });
	const top = rows[0]?.agent.id ?? ui.selected;
	const fromTop = { ...sorted, tree: { ...sorted.tree, anchor: { agent: top, row: 0 } } };
	return visibleRowOf(rows, ui.selected) < scene.height ? fromTop : choose(fromTop, top);
}

function lookingAfter(action: Action, scene: Scene): UiState | undefined {
	switch (action) {
		case "find_next":
			return foundAgent(scene, 1);
		case "find_previous":
			return foundAgent(scene, -1);
		case "problem_next":
			return problemAgent(scene, 1);
		case "problem_previous":
			return problemAgent(scene, -1);
		default:
			return undefined;
	}
}

function follow(ui: UiState, rows: readonly TreeRow[]): UiState {
	const selected = latestAtWork(rows) ?? ui.selected;
	return { ...ui, selected, follow: { is: "on", since: 0 }, scroll: END };
}

function latestAtWork(rows: readonly TreeRow[]): AgentId | undefined {
	let latest: { id: AgentId; at: number } | undefined;
	for (const { agent } of rows) {
		if (agent.state.is !== "thinking" && agent.state.is !== "running") continue;
		const at = Math.max(agent.state.since, ...agent.running.map(({ since }) => since));
		if (latest === undefined || at > latest.at) latest = { id: agent.id, at };
	}
	return latest?.id;
}

/** The keys of the tree that look for agents: what a person has typed, and trouble. What hides the agent is unfolded. */

/** The next agent (1), or the one before (-1), of which something is shown that has the text of the find in it. */
function foundAgent(scene: Scene, step: 1 | -1): UiState {
	const { ui } = scene;
	if (ui.find === undefined) return noticed(ui, "nothing to find: press / first", { tone: "warn", now: scene.now });
	const { text } = ui.find;
	return nextOf(scene, step, {
		isOne: textMatches(text, scene),
		none: `no agent has "${text}"`,
		describe: () => `has "${text}"`,
	});
}

/** The next agent, or the one before, that somebody should look at. */
function problemAgent(scene: Scene, step: 1 | -1): UiState {
	return nextOf(scene, step, {
		isOne: (agent) => scene.view.of(agent).problem !== undefined,
		none: "no agent has failed, is silent, or is retrying",
		describe: (agent) => scene.view.of(agent).problem ?? "",
	});
}

interface Wanted {
	readonly isOne: (agent: Agent) => boolean;
	readonly none: string;
	readonly describe: (agent: Agent) => string;
}

/** In the order of the rows, behind the last one the first again. */
function nextOf(scene: Scene, step: 1 | -1, { isOne, none, describe }: Wanted): UiState {
	const { ui, now } = scene;
	const agents = agentsInOrder(scene);
	const found = agents.filter(isOne);
	if (found.length === 0) return noticed(ui, none, { tone: "warn", now });
	const places = new Map(agents.map(({ id }, place) => [id, place]));
	const here = places.get(ui.selected) ?? -1;
	const isPast = ({ id }: Agent) => ((places.get(id) ?? 0) - here) * step > 0;
	const next = step === 1 ? (found.find(isPast) ?? found[0]) : (found.findLast(isPast) ?? found.at(-1));
	if (next === undefined) return ui;
	const which = `${found.indexOf(next) + 1} of ${found.length}`;
	return noticed(uncovered(scene, next.id), `${which}: ${next.id} ${describe(next)}`, { tone: "plain", now });
}

/** A list, and the tree below a filter, have only agents with rows; else those in folded branches count, too. */
function agentsInOrder({ run, rows, ui }: Scene): readonly Agent[] {
	const { order, filter, isAliveOnly } = ui.tree;
	const hasAll = order.is === "tree" && filter === "" && !isAliveOnly;
	return hasAll ? inTreeOrder(run.agents) : rows.filter(({ isContext }) => !isContext).map(({ agent }) => agent);
}

/** Selects the agent, and unfolds what is above it where it has no row. */
function uncovered(scene: Scene, agent: AgentId): UiState {
	return withRow(scene, choose(scene.ui, agent));
}

/** What is above the selected agent is unfolded where the agent has no row. */
export function withRow(scene: Scene, ui: UiState): UiState {
	const agent = ui.selected;
	const rows = treeRows({ ...scene, ui });
	if (rows[visibleRowOf(rows, agent)]?.agent.id === agent) return ui;
	return { ...ui, tree: withFolds(ui.tree, withAncestors(agent).slice(1), false) };
}

/** The orders of a list of agents. Pure. */

/** The largest first; those without the property last, and equal ones in the order of the tree. */
function sortedAgents(view: RunView, by: ListOrder): AgentId[] {
	const amounts = new Map(view.agents.map((agent) => [agent.id, amountOf(agent, by)]));
	const amount = (id: AgentId) => amounts.get(id) ?? 0;
	return [...amounts.keys()].sort((a, b) => amount(b) - amount(a) || compareAgentIds(a, b));
}

function amountOf({ agent, ageMs, quietMs }: AgentView, by: ListOrder): number {
	switch (by) {
		case "quiet":
			return quietMs ?? -1;
		case "age":
			return ageMs;
		case "dollars":
			return agent.costUsd ?? -1; // a price that is not known
		case "tokens":
			return totalTokens(agent.usage);
	}
}
