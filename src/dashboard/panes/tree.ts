/** The tree: one row an agent. */
import type { AgentId } from "../../core/agent.ts";
import { padWidth } from "../../text/width.ts";
import type { Action } from "../scene/keys.ts";
import { fitLine, type Line, type Size, segment, selectLine } from "../scene/line.ts";
import type { Pane } from "../scene/pane.ts";
import type { Scene } from "../scene/scene.ts";
import { type TreeRow, visibleRowOf } from "../scene/tree-rows.ts";
import { END, select, soughtText, type UiState } from "../scene/ui-state.ts";
import { agentLine } from "./agent-line.ts";
import { markFound } from "./mark-found.ts";
import { layOutTree, type TreeLayout } from "./tree-columns.ts";

export const treePane: Pane = {
	name: "tree",
	place: { is: "left" },
	title,
	lines,
	act: (action, scene) => {
		const ui = uiAfter(action, scene);
		return ui && { ui };
	},
};

function title(scene: Scene, size: Size): Line {
	const { layout } = shownOf(scene, size);
	const head = [segment(padWidth(" agent", layout.treeWidth), "dim")];
	for (const { head: text, width, toRight } of layout.columns)
		head.push(segment(` ${padWidth(text, width, toRight)}`, "dim"));
	if (layout.nowWidth > 0) head.push(segment(" now", "dim"));
	return head;
}

function lines(scene: Scene, size: Size): Line[] {
	const { rows, selected, layout } = shownOf(scene, size);
	return rows.map((row) => {
		const line = fitLine(agentLine(row, layout, scene), size.columns);
		return markFound(row === selected ? selectLine(line) : line, soughtText(scene.ui));
	});
}

interface Shown {
	readonly rows: readonly TreeRow[];
	readonly selected: TreeRow | undefined;
	readonly layout: TreeLayout;
}

/** The rows are scrolled so that the selected one is in the middle, where the ends of the tree allow it. */
function shownOf({ rows: all, ui, now }: Scene, size: Size): Shown {
	const selected = visibleRowOf(all, ui.selected);
	const first = Math.max(0, Math.min(selected - Math.floor(size.rows / 2), all.length - size.rows));
	const rows = all.slice(first, first + size.rows);
	return { rows, selected: all[selected], layout: layOutTree(rows, size.columns, now) };
}

function uiAfter(action: Action, { ui, rows }: Scene): UiState | undefined {
	const selected = visibleRowOf(rows, ui.selected);
	switch (action) {
		case "up":
			return selectRow(ui, selected - 1, rows);
		case "down":
			return selectRow(ui, selected + 1, rows);
		case "first":
			return selectRow(ui, 0, rows);
		case "last":
			return selectRow(ui, rows.length - 1, rows);
		case "fold":
			return fold(ui, rows[selected]);
		case "follow":
			return ui.follow.is === "on" ? { ...ui, follow: { is: "off" } } : follow(ui, rows);
		default:
			return undefined;
	}
}

/** A person who chooses an agent does not want to be led away from it. */
function selectRow(ui: UiState, row: number, rows: readonly TreeRow[]): UiState {
	const chosen = rows[Math.max(0, Math.min(row, rows.length - 1))];
	return chosen === undefined ? ui : { ...select(ui, chosen.agent.id), follow: { is: "off" } };
}

function fold(ui: UiState, row: TreeRow | undefined): UiState {
	if (row === undefined || !row.hasChildren) return ui;
	const folded = new Set(ui.folded);
	if (!folded.delete(row.agent.id)) folded.add(row.agent.id);
	return { ...select(ui, row.agent.id), folded };
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
