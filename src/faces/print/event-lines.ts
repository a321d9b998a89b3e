/** The events of a run as lines of a log: one each, with how long that took, cut to the terminal. */

import { foldedMiddle } from "../../core/preview.ts";
import type { RunEvent } from "../../core/run/run-event.ts";
import { oneLine } from "../../text/safe/terminal-safe.ts";
import { fitWidth } from "../../text/width/width.ts";
import { EventFactsBuilder } from "../../view/events/event-facts.ts";
import { meaningOf, subjectOf } from "../../view/events/event-meaning.ts";
import { clockTime } from "../../view/words/clock-time.ts";
import type { Paint } from "./paint.ts";

const MAX_LINE = 2_000;

export interface EventLinesView {
	readonly paint: Paint;
	/** The width of the terminal now; undefined: lines are whole. */
	readonly columns: () => number | undefined;
}

/** Needs all events of a run in order, since what begins with one ends with another. */
export class EventLines {
	private readonly facts = new EventFactsBuilder();
	private readonly view: EventLinesView;

	constructor(view: EventLinesView) {
		this.view = view;
	}

	/** `20:15:30.123  1.2     turn 3 ended after 12s: tool_use, 1.2k in / 80 out, $0.0100`. The time is local. */
	line(event: RunEvent): string {
		const { paint } = this.view;
		const columns = this.view.columns();
		const { text, tone } = meaningOf(event, this.facts.note(event));
		const head = `${clockTime(event.at)}  ${(subjectOf(event) ?? "run").padEnd(6)}  `;
		const whole = `${head}${foldedMiddle(oneLine(text), MAX_LINE)}`;
		const cut = columns === undefined ? whole : fitWidth(whole, columns);
		return `${cut.slice(0, head.length)}${paint.tone(cut.slice(head.length), tone)}`;
	}
}
