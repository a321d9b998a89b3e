/** A box whose lines may be more than fit. */

import type { Line, Size } from "../../../tui/text/line.ts";
import type { Action } from "../scene/keys.ts";
import { distanceOf } from "../scene/moves.ts";
import type { Step } from "../scene/pane.ts";
import { opened, type UiState } from "../scene/ui-state.ts";

/** The lines from the first that is to be seen. */
export function scrolledLines(all: readonly Line[], ui: UiState, { rows }: Size): Line[] {
	return all.slice(topOf(ui, all.length - rows));
}

/** Of what fits whole nothing is scrolled: then the keys choose another agent, which the box shows then. */
export function scrollStep(action: Action, all: readonly Line[], ui: UiState, { rows }: Size): Step | undefined {
	const most = all.length - rows;
	const by = distanceOf(action, { page: rows, half: Math.ceil(rows / 2) });
	if (ui.open.is === "none" || most <= 0 || by === undefined) return undefined;
	return { ui: opened(ui, ui.open.name, Math.max(0, Math.min(most, topOf(ui, most) + by))) };
}

export function isScroll(action: Action): boolean {
	return distanceOf(action, { page: 0, half: 0 }) !== undefined;
}

/** An agent that was selected meanwhile is read from its beginning. */
function topOf({ open, selected }: UiState, most: number): number {
	if (open.is === "none" || open.about !== selected) return 0;
	return Math.max(0, Math.min(open.top, most));
}
