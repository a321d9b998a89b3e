/** The lines of the list of events: the events, the whole text of the one that the person is at, and the keys. */
import type { RunEvent } from "../../../core/run/run-event.ts";
import { cleanText, oneLine } from "../../../text/safe/terminal-safe.ts";
import { padWidth } from "../../../text/width/width.ts";
import { wrapText } from "../../../text/width/wrap.ts";
import { fitLine, type Line, lineWidth, type Size, segment, selectLine } from "../../../tui/text/line.ts";
import { meaningOf, subjectOf } from "../../../view/events/event-meaning.ts";
import { shortTime } from "../../../view/words/clock-time.ts";
import { eventFacts, eventWindow, listedEvents } from "../scene/event-list.ts";
import type { Scene } from "../scene/scene.ts";
import { soughtText } from "../scene/ui-state.ts";
import { markFound } from "./transcript/mark-found.ts";

const KEYS = ["enter its agent", "b branch", "! notable", "/ find", "End newest"];
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
export function searchedText(scene: Scene, event: RunEvent): string {
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
	for (const key of KEYS) {
		const next = [...line, segment(`${line.length === 0 ? "" : "   "}${key}`, "dim")];
		if (lineWidth(next) > columns) break;
		line = next;
	}
	return [line];
}
