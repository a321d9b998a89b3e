/** The events of the run, the newest at the end; a person can stay at one, and go to its agent. */

import type { RunEvent } from "../../../core/schemas/run-event.ts";
import { cleanText, oneLine } from "../../../text/safe/terminal-safe.ts";
import { padWidth } from "../../../text/width/width.ts";
import { wrapText } from "../../../text/width/wrap.ts";
import { fieldLine } from "../../../tui/editor/draw-editor.ts";
import { fitLine, type Line, lineWidth, type Size, segment, selectLine } from "../../../tui/text/line.ts";
import { meaningOf, subjectOf } from "../../../view/events/meanings.ts";
import { shortTime } from "../../../view/words/clock-time.ts";
import { type EventList, eventFacts, eventWindow, listedEvents, movedTo } from "../scene/event-list.ts";
import { type Action, distanceOf, type KeyBinding, pagesOf } from "../scene/keys.ts";
import type { Pane, Step } from "../scene/pane.ts";
import type { Scene } from "../scene/scene.ts";
import { choose, closed, entryOf, opened, soughtText, type UiState } from "../scene/ui-state.ts";
import { markFound } from "./transcript/find-text.ts";

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

/** The lines of the list of events: the events, the whole text of the one that the person is at, and the keys. */

const HINTS = ["enter its agent", "b branch", "! notable", "/ find", "End newest"];
const KEYS_FROM_ROWS = 6;
const TEXT_FROM_ROWS = 12;
const TEXT_ROWS = 2;
const LEAST_AGENT_COLUMNS = 3;
const MOST_AGENT_COLUMNS = 14;
const RUN = "run";

/** The events that are listed. */
export function eventsIn({ events, ui }: Scene): readonly RunEvent[] {
	return listedEvents(events, ui.eventList, ui.selected);
}

/** As many lines as `size` has rows. */
export function eventLines(scene: Scene, size: Size): Line[] {
	const { columns } = size;
	const rows = listRows(size);
	const listed = eventsIn(scene);
	const { first, at } = eventWindow(listed, scene.ui.eventList, rows);
	const shown = listed.slice(first, first + rows);
	const agentColumns = agentColumnsOf(shown);
	const sought = soughtText(scene.ui);
	const lines = shown.map((event, row) => {
		const line = fitLine(eventLine(scene, event, agentColumns), columns);
		return markFound(first + row === at ? selectLine(line) : line, sought);
	});
	const said = lines.length === 0 ? [nothingLine(scene)] : lines;
	const blank = Array.from({ length: rows - said.length }, (): Line => []);
	const current = listed[at];
	const whole = current === undefined ? [] : eventLine(scene, current, agentColumns);
	return [...said, ...blank, ...wholeText(whole, size), ...keysLine(size)];
}

/** How many of the pane's lines have events. */
export function listRows({ rows }: Size): number {
	const below = (rows >= TEXT_FROM_ROWS ? TEXT_ROWS : 0) + (rows >= KEYS_FROM_ROWS ? 1 : 0);
	return Math.max(1, rows - below);
}

/** The text that a find looks through. */
function searchedText(scene: Scene, event: RunEvent): string {
	return `${subjectOf(event) ?? RUN} ${textOf(scene, event)}`;
}

function eventLine(scene: Scene, event: RunEvent, agentColumns: number): Line {
	const who = subjectOf(event) ?? RUN;
	return [
		segment(`${shortTime(event.at)} `, "dim"),
		segment(`${padWidth(who, agentColumns)} `, who === RUN ? "dim" : "strong"),
		segment(textOf(scene, event), meaningOf(event).tone ?? "plain"),
	];
}

function textOf({ events }: Scene, event: RunEvent): string {
	return oneLine(cleanText(meaningOf(event, eventFacts(events).get(event)).text));
}

function agentColumnsOf(shown: readonly RunEvent[]): number {
	const widths = shown.map((event) => (subjectOf(event) ?? RUN).length);
	return Math.min(MOST_AGENT_COLUMNS, Math.max(LEAST_AGENT_COLUMNS, ...widths));
}

function nothingLine({ events, unreadable }: Scene): Line {
	if (unreadable !== undefined) return [segment(oneLine(cleanText(unreadable)), "warn")];
	return [segment(events.length === 0 ? "no events yet" : "no events of this kind", "dim")];
}

/** Of the event that the person is at what its line had to leave out, too. */
function wholeText(line: Line, { columns, rows }: Size): Line[] {
	if (rows < TEXT_FROM_ROWS) return [];
	const text = line.at(-1)?.text ?? "";
	const [first = "", ...rest] = lineWidth(line) > columns ? wrapText(text, columns) : [];
	return [first, rest.join(" ")].map((text) => fitLine([segment(text, "dim")], columns));
}

function keysLine({ columns, rows }: Size): Line[] {
	if (rows < KEYS_FROM_ROWS) return [];
	let line: Line = [];
	for (const key of HINTS) {
		const next = [...line, segment(`${line.length === 0 ? "" : "   "}${key}`, "dim")];
		if (lineWidth(next) > columns) break;
		line = next;
	}
	return [line];
}
