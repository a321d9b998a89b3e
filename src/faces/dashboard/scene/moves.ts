/** How far the keys go that move through lines or rows. Pure. */
import type { Action } from "./keys.ts";

interface Pages {
	readonly page: number;
	readonly half: number;
}

/** Undefined for an action that moves nothing. `first` and `last` go further than there is anything. */
export function distanceOf(action: Action, { page, half }: Pages): number | undefined {
	switch (action) {
		case "up":
			return -1;
		case "down":
			return 1;
		case "page_up":
			return -page;
		case "page_down":
			return page;
		case "half_up":
			return -half;
		case "half_down":
			return half;
		case "first":
			return Number.NEGATIVE_INFINITY;
		case "last":
			return Number.POSITIVE_INFINITY;
		default:
			return undefined;
	}
}

/** One row of the page before stays in sight. */
export function pagesOf(rows: number): Pages {
	return { page: Math.max(1, rows - 1), half: Math.max(1, Math.floor(rows / 2)) };
}
