/** The last events that a person wants to hear of, as one line. */
import { clockTime } from "../../events/event-text.ts";
import { cleanText } from "../../text/terminal-safe.ts";
import { fitLine, type Line, lineWidth, segment } from "../scene/line.ts";
import { type NotableEvent, notableEvents } from "../scene/run-events.ts";
import type { Scene } from "../scene/scene.ts";

const MOST_TOLD = 4;

const ALL = "(e: all events) ";

/** The newest stands first, and is cut where it has to be; of the others those are told that fit whole, then the key for all. */
export function lastEventsLine(scene: Scene, columns: number): Line {
	const line = toldEvents(scene, columns);
	const room = columns - lineWidth(line) - ALL.length;
	return line.length === 0 || room < 2 ? line : [...line, segment(" ".repeat(room)), segment(ALL, "dim")];
}

function toldEvents({ events }: Scene, columns: number): Line {
	let line: Line = [];
	for (const event of notableEvents(events, MOST_TOLD)) {
		const next = [...line, segment(line.length === 0 ? " " : "   "), ...told(event)];
		if (lineWidth(next) > columns) return line.length === 0 ? fitLine(next, columns) : line;
		line = next;
	}
	return line;
}

function told({ at, agent, text, tone }: NotableEvent): Line {
	return [
		segment(`${clockTime(at).slice(0, 8)} `, "dim"),
		...(agent === undefined ? [] : [segment(`${agent} `, "strong")]),
		segment(cleanText(text), tone),
	];
}
