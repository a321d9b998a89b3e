/** Marks of time above bars: how long after the begin of the run each moment is. */
import { formatDuration } from "../../text/durations.ts";
import { type Interval, lengthOf } from "../scene/time-range.ts";

const LEAST_COLUMNS = 9;
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const STEPS = [
	...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * SECOND),
	...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE),
	...[1, 2, 3, 6, 12].map((hours) => hours * HOUR),
];

/** Exactly `columns` wide: `│0s       │30s      │1m`. */
export function timeAxis(shown: Interval, startedAt: number, columns: number): string {
	const columnMs = Math.max(lengthOf(shown), 1) / columns;
	const step = stepFor(columnMs * LEAST_COLUMNS);
	const cells = Array.from({ length: columns }, () => " ");
	const first = Math.max(0, Math.ceil((shown.from - startedAt) / step));
	for (let at = startedAt + first * step; at < shown.to; at += step) {
		const column = Math.floor((at - shown.from) / columnMs);
		const label = `│${shortDuration(at - startedAt)}`;
		if (column + label.length <= columns) cells.splice(column, label.length, ...label);
	}
	return cells.join("");
}

/** The first round step of at least so long. */
function stepFor(ms: number): number {
	return STEPS.find((step) => step >= ms) ?? DAY * Math.ceil(ms / DAY);
}

/** `1m` for `1m00s` */
function shortDuration(ms: number): string {
	return ms === 0 ? "0s" : formatDuration(ms).replace(/(h|m)00[ms]$/, "$1");
}
