/** The words that agents must match to have a row, typed into the bar. The tree shows already what is typed. */
import type { Pane } from "../scene/pane.ts";
import type { Scene } from "../scene/scene.ts";
import { treeRows } from "../scene/tree-rows.ts";
import { entryOf, FILTER, select, type UiState } from "../scene/ui-state.ts";
import { entryLine } from "./entry-line.ts";
import { filtered } from "./tree-steps.ts";

export const filterPane: Pane = {
	name: FILTER,
	place: { is: "bar" },
	title: () => [],
	lines: ({ ui }, { columns }) => [entryLine("filter: ", entryOf(ui), columns)],
	takes: { submit: (text, scene) => ({ ui: withFilter(text.trim(), scene) }) },
	act: () => undefined,
};

/** When the selected agent does not match, the first that does is selected. */
function withFilter(filter: string, scene: Scene): UiState {
	const { isAliveOnly } = scene.ui.tree;
	const ui: UiState = { ...scene.ui, side: "tree", tree: filtered(scene.ui.tree, { filter, isAliveOnly }) };
	const rows = treeRows({ ...scene, ui });
	const selected = rows.find(({ agent }) => agent.id === ui.selected);
	const first = rows.find(({ isContext }) => !isContext);
	return selected?.isContext === true && first !== undefined ? select(ui, first.agent.id) : ui;
}
