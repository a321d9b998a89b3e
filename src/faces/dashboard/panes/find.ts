/** The text to find in the side that has the keys, typed into the bar. What matches is marked already while it is typed. */

import { isWithin } from "../../../core/model/agent.ts";
import { fieldLine } from "../../../tui/editor/draw-editor.ts";
import { filterMeans } from "../scene/agent-search.ts";
import type { Pane } from "../scene/pane.ts";
import type { Scene } from "../scene/scene.ts";
import { treeRows } from "../scene/tree-rows.ts";
import { entryOf, FILTER, FIND, select, type UiState } from "../scene/ui-state.ts";
import { filtered } from "./tree-steps.ts";

export const findPane: Pane = {
	name: FIND,
	place: { is: "bar" },
	opener: {
		...{ action: "open", names: ["/"], opens: FIND },
		...{ label: "/", help: "find in the focused pane", hint: "find" },
	},
	title: () => [],
	lines: ({ ui }, { columns }) => [fieldLine("find: ", entryOf(ui), columns)],
	takes: {
		/** An empty text looks for the last one again. */
		submit: (text, { ui }) => ({ ui: text === "" ? ui : { ...ui, find: { text } }, next: "find_next" }),
	},
	act: () => undefined,
};

/** The words that agents must match to have a row, typed into the bar. The tree shows already what is typed. */

export const filterPane: Pane = {
	name: FILTER,
	place: { is: "bar" },
	title: () => [],
	lines: ({ ui }, { columns }) => [fieldLine("filter: ", entryOf(ui), columns)],
	takes: { submit: (text, scene) => ({ ui: withFilter(text.trim(), scene) }) },
	act: () => undefined,
};

/**
 * When the selected agent does not match, the first that is meant is selected, else the first that matches; when it only matches, as
 * one above does whose command has the words, the first below it that is meant.
 */
function withFilter(filter: string, scene: Scene): UiState {
	const { isAliveOnly } = scene.ui.tree;
	const ui: UiState = { ...scene.ui, side: "tree", tree: filtered(scene.ui.tree, { filter, isAliveOnly }) };
	const rows = treeRows({ ...scene, ui });
	const isMeant = filterMeans(filter, scene);
	const matching = rows.flatMap(({ agent, isContext }) => (isContext ? [] : [agent]));
	const meant = matching.filter(isMeant);
	const selected = matching.find(({ id }) => id === ui.selected);
	const better =
		selected === undefined
			? (meant[0] ?? matching[0])
			: meant.find(({ id }) => !isMeant(selected) && isWithin(id, selected.id));
	return better === undefined ? ui : select(ui, better.id);
}
