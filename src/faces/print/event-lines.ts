/** The events of a run as lines of a log: one each, with how long that took, cut to the terminal. */
import type { RunEvent } from "../../core/run/run-event.ts";
import { fitWidth } from "../../text/width/width.ts";
import { EventFactsBuilder } from "../../view/event-facts.ts";
import { eventHead, eventLine } from "../../view/event-text.ts";
import { troubleOf } from "../../view/event-trouble.ts";
import type { Paint } from "./paint.ts";

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

	line(event: RunEvent): string {
		const { paint } = this.view;
		const columns = this.view.columns();
		const whole = eventLine(event, this.facts.note(event));
		const cut = columns === undefined ? whole : fitWidth(whole, columns);
		const head = eventHead(event).length;
		return `${cut.slice(0, head)}${paint.tone(cut.slice(head), troubleOf(event))}`;
	}
}
