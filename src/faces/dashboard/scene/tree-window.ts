/**
 * Which rows of the tree are in the pane. The anchor, an agent that was selected by the last key, stays in its row of the pane
 * whatever appears, folds or goes above it; the pane moves only where the selected row would be outside of it. Pure.
 */
import { type TreeRow, visibleRowOf } from "./tree-rows.ts";
import type { UiState } from "./ui-state.ts";

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
