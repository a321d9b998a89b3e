/** The text to find in the side that has the keys, typed into the bar. What matches is marked already while it is typed. */

import { fieldLine } from "../../../tui/editor/field-line.ts";
import type { Pane } from "../scene/pane.ts";
import { entryOf, FIND } from "../scene/ui-state.ts";

export const findPane: Pane = {
	name: FIND,
	place: { is: "bar" },
	opener: {
		...{ action: "open", names: ["/"], opens: FIND },
		...{ label: "/", help: "find in the focused pane", hint: "find" },
	},
	title: () => [],
	lines: ({ ui }, { columns }) => [fieldLine("find: ", entryOf(ui), columns)],
	takes: {
		/** An empty text looks for the last one again. */
		submit: (text, { ui }) => ({ ui: text === "" ? ui : { ...ui, find: { text } }, next: "find_next" }),
	},
	act: () => undefined,
};
