/** What is asked before the dashboard leaves a run that is alive. */

import { segment } from "../../../tui/text/line.ts";
import type { KeyBinding } from "../scene/keys.ts";
import type { Pane } from "../scene/pane.ts";
import { closed } from "../scene/ui-state.ts";

const ANSWERS: readonly KeyBinding[] = [
	{ action: "stop_run", names: ["s", "ctrl-c"] },
	{ action: "leave_running", names: ["l"] },
	{ action: "cancel", names: ["escape", "q"] },
];

const LONG = " The run is still running.  s stop · l leave running · esc cancel ";
const SHORT = " s stop · l leave running · esc cancel";

export const questionPane: Pane = {
	name: "question",
	place: { is: "bar" },
	isQuestion: true,
	keys: ANSWERS,
	title: () => [],
	lines: (_, { columns }) => [[segment(columns >= LONG.length ? LONG : SHORT, "alert")]],
	act: (action, { ui }) =>
		action === "stop_run" || action === "leave_running" ? { ui: closed(ui), wish: { is: action } } : { ui: closed(ui) },
};
