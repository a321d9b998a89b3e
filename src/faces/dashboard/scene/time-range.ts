/** Which part of a run's time the timeline shows. Pure; all times are milliseconds since the epoch. */
import type { Interval } from "../../../view/timeline/phases.ts";

/** `part`: so long a time that ends at `to`, which is the run's newest moment for `now`. */
export type TimeRange =
	| { readonly is: "whole" }
	| { readonly is: "part"; readonly ms: number; readonly to: number | "now" };

/** The time of a run so far. */
export interface RunTime extends Interval {
	readonly isGoingOn: boolean;
}

export const WHOLE_TIME: TimeRange = { is: "whole" };

const LEAST_MS = 10_000;

/** The interval that is shown of `whole`, the run's time so far. */
export function shownInterval(range: TimeRange, whole: Interval): Interval {
	if (range.is === "whole" || range.ms >= lengthOf(whole)) return whole;
	const to = Math.min(whole.to, Math.max(range.to === "now" ? whole.to : range.to, whole.from + range.ms));
	return { from: to - range.ms, to };
}

/** Half as much time or twice as much: around the middle, or up to now where now is shown. */
export function zoomed(range: TimeRange, whole: Interval, by: "in" | "out"): TimeRange {
	const shown = shownInterval(range, whole);
	const ms = Math.max(LEAST_MS, lengthOf(shown) * (by === "in" ? 0.5 : 2));
	if (ms >= lengthOf(whole)) return WHOLE_TIME;
	return partUpTo(shown.to === whole.to ? whole.to : (shown.from + shown.to + ms) / 2, ms, whole);
}

/** A quarter of what is shown earlier or later. */
export function panned(range: TimeRange, whole: Interval, to: "earlier" | "later"): TimeRange {
	const shown = shownInterval(range, whole);
	const ms = lengthOf(shown);
	if (ms >= lengthOf(whole)) return range;
	return partUpTo(shown.to + (to === "later" ? ms / 4 : -ms / 4), ms, whole);
}

/** As much time as is shown, up to now and going on with it. */
export function followingNow(range: TimeRange): TimeRange {
	return range.is === "whole" ? range : { ...range, to: "now" };
}

function partUpTo(to: number, ms: number, whole: Interval): TimeRange {
	return { is: "part", ms, to: to >= whole.to ? "now" : Math.max(to, whole.from + ms) };
}

const STEADY = [1, 1.25, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10];

/**
 * The interval that a number of columns shows while time goes on: columns stand for the same time for a while, so that a bar
 * only grows at its end and the screen need not be drawn anew each second. What is to come is at the right then.
 */
export function steadyInterval(shown: Interval, whole: Interval, columns: number): Interval {
	const columnMs = Math.max(1, lengthOf(shown)) / Math.max(1, columns);
	if (shown.from === whole.from) {
		const magnitude = 10 ** Math.floor(Math.log10(columnMs));
		const factor = STEADY.find((step) => step * magnitude >= columnMs) ?? 10;
		return { from: shown.from, to: shown.from + factor * magnitude * columns };
	}
	const to = whole.from + Math.ceil((shown.to - whole.from) / columnMs) * columnMs;
	return { from: to - lengthOf(shown), to };
}

export function lengthOf({ from, to }: Interval): number {
	return to - from;
}
