/** The last events that a person wants to hear of, as one line. */

import { cleanText } from "../../../text/safe/terminal-safe.ts";
import { fitLine, type Line, lineWidth, segment } from "../../../tui/text/line.ts";
import { type NotableEvent, notableEvents } from "../../../view/events/news.ts";
import { shortTime } from "../../../view/words/clock-time.ts";
import type { Scene } from "../scene/scene.ts";

const MOST_TOLD = 4;
/** Less of an event would say nothing. */
const LEAST_COLUMNS = 32;

const ALL = "(e: all events) ";

/** The newest stands first; the last is cut where it has to be. Then comes the key that shows all, where there is room. */
export function lastEventsLine(scene: Scene, columns: number): Line {
	const line = toldEvents(scene, columns);
	const room = columns - lineWidth(line) - ALL.length;
	return line.length === 0 || room < 2 ? line : [...line, segment(" ".repeat(room)), segment(ALL, "dim")];
}

function toldEvents({ events }: Scene, columns: number): Line {
	let line: Line = [];
	for (const event of notableEvents(events, MOST_TOLD)) {
		const next = [...line, segment(line.length === 0 ? " " : "   "), ...told(event)];
		if (lineWidth(next) > columns)
			return line.length === 0 || columns - lineWidth(line) >= LEAST_COLUMNS ? fitLine(next, columns) : line;
		line = next;
	}
	return line;
}

function told({ at, agent, text, tone }: NotableEvent): Line {
	return [segment(`${shortTime(at)} `, "dim"), segment(`${agent ?? "run"} `, "strong"), segment(cleanText(text), tone)];
}
