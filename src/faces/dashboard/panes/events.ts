/** The events of the run, the newest at the end; a person can stay at one, and go to its agent. */

import { fieldLine } from "../../../tui/editor/field-line.ts";
import { type Line, type Size, segment } from "../../../tui/text/line.ts";
import { subjectOf } from "../../../view/events/event-meaning.ts";
import { type EventList, eventWindow, movedTo } from "../scene/event-list.ts";
import type { Action, KeyBinding } from "../scene/keys.ts";
import { distanceOf, pagesOf } from "../scene/moves.ts";
import type { Pane, Step } from "../scene/pane.ts";
import type { Scene } from "../scene/scene.ts";
import { choose, closed, entryOf, opened, type UiState } from "../scene/ui-state.ts";
import { eventLines, eventsIn, listRows, searchedText } from "./event-lines.ts";

const NAME = "events";
const FIND_NAME = "event_find";
const MOST_COLUMNS = 160;

const KEYS: readonly KeyBinding[] = [
	{ action: "choose", names: ["enter", "return"] },
	{ action: "of_branch", names: ["b"] },
	{ action: "of_notable", names: ["!"] },
	{ action: "open", names: ["/"], opens: FIND_NAME },
];

export const eventsPane: Pane = {
	name: NAME,
	place: { is: "box", mostColumns: MOST_COLUMNS },
	opener: { action: "open", names: ["e"], opens: NAME, label: "e", help: "events of the run" },
	ownKeys: KEYS,
	title,
	lines: eventLines,
	act,
};

/** The text to find in the events, which stay in sight. */
export const eventFindPane: Pane = {
	...{ name: FIND_NAME, place: eventsPane.place, title },
	lines: (scene, size) => [
		...eventLines(scene, { ...size, rows: size.rows - 1 }),
		fieldLine("find: ", entryOf(scene.ui), size.columns),
	],
	takes: {
		/** An empty text looks for the last one again. */
		submit: (text, { ui }) => ({ ui: opened(withFind(ui, text), NAME), next: "find_here" }),
		typed: (text, { ui }) => withFind(ui, text),
		cancel: ({ ui }) => opened(ui, NAME),
	},
	act: () => undefined,
};

function title(scene: Scene): Line {
	const { isOfBranch, isOfNotable } = scene.ui.eventList;
	const what = `${isOfNotable ? "Notable events" : "Events"}${isOfBranch ? ` of ${scene.ui.selected} and below` : ""}`;
	return [segment(what, "heading"), segment(` ${eventsIn(scene).length} (esc closes)`, "dim")];
}

function act(action: Action, scene: Scene, size: Size): Step | undefined {
	const { ui } = scene;
	const rows = listRows(size);
	const { eventList: list } = ui;
	const listed = eventsIn(scene);
	const { at } = eventWindow(listed, list, rows);
	const to = (index: number) => withList(ui, movedTo(listed, list, { index, rows }));
	const by = distanceOf(action, pagesOf(rows));
	if (by !== undefined) return to(at + by);
	switch (action) {
		case "find_here":
			return to(foundIndex(scene, at, -1) ?? at);
		case "find_next":
			return to(foundIndex(scene, at + 1, 1) ?? at);
		case "find_previous":
			return to(foundIndex(scene, at - 1, -1) ?? at);
		case "of_branch":
			return withList(ui, { ...list, isOfBranch: !list.isOfBranch });
		case "of_notable":
			return withList(ui, { ...list, isOfNotable: !list.isOfNotable });
		case "choose":
			return { ui: chosen(scene, at) };
		default:
			return undefined;
	}
}

function withList(ui: UiState, eventList: EventList): Step {
	return { ui: { ...ui, eventList } };
}

function withFind(ui: UiState, text: string): UiState {
	return text === "" ? ui : { ...ui, find: { text } };
}

/** An event of the whole run has no agent to go to. */
function chosen(scene: Scene, at: number): UiState {
	const event = eventsIn(scene)[at];
	const agent = event && subjectOf(event);
	const ui = closed(scene.ui);
	return agent === undefined || scene.run.agents[agent] === undefined ? ui : choose(ui, agent);
}

/** The first match from there on in that direction, around the end; undefined when nothing matches, or nothing is looked for. */
function foundIndex(scene: Scene, from: number, by: 1 | -1): number | undefined {
	const text = scene.ui.find?.text.toLowerCase();
	const listed = eventsIn(scene);
	const { length } = listed;
	if (text === undefined) return undefined;
	for (let step = 0; step < length; step++) {
		const index = (((from + by * step) % length) + length) % length;
		const event = listed[index];
		if (event !== undefined && searchedText(scene, event).toLowerCase().includes(text)) return index;
	}
	return undefined;
}
