/** The table of panes. A new pane is a file in panes/ and a line here. */

import { freezePane, messagePane, quitPane, stopPane } from "./panes/agent-actions.ts";
import { answerPane } from "./panes/answer.ts";
import { detailsPane } from "./panes/details.ts";
import { eventFindPane, eventsPane } from "./panes/events.ts";
import { filterPane, findPane } from "./panes/find.ts";
import { footerPane } from "./panes/footer.ts";
import { helpPane } from "./panes/help.ts";
import { timelinePane } from "./panes/timeline.ts";
import { transcriptPane } from "./panes/transcript/transcript.ts";
import { treePane } from "./panes/tree.ts";
import { usagePane } from "./panes/usage.ts";
import { whyPane } from "./panes/why.ts";
import { ACTS, CANCEL, type KeyBinding, LEAVES, type ListedKey, MOVES } from "./scene/keys.ts";
import type { Pane } from "./scene/pane.ts";
import type { UiState } from "./scene/ui-state.ts";

/** The keys that open a pane are listed in this order; the help is the last of them. */
export const PANES: readonly Pane[] = [
	treePane,
	transcriptPane,
	footerPane,
	quitPane,
	answerPane,
	freezePane,
	stopPane,
	messagePane,
	whyPane,
	findPane,
	filterPane,
	timelinePane,
	eventsPane,
	eventFindPane,
	detailsPane,
	usagePane,
	helpPane,
];

export const LISTED_KEYS: readonly ListedKey[] = [
	...MOVES,
	...ACTS,
	...PANES.flatMap(({ opener }) => (opener === undefined ? [] : [opener])),
	...LEAVES,
];

/** The keys that count while no open pane has keys of its own. */
export const KEYS: readonly KeyBinding[] = [...LISTED_KEYS, CANCEL];

export function paneNamed(name: string): Pane | undefined {
	return PANES.find((pane) => pane.name === name);
}

export function openPane({ open }: UiState): Pane | undefined {
	return open.is === "none" ? undefined : paneNamed(open.name);
}

/** Tab goes from one side to the next in this order. */
export function sides(): readonly Pane[] {
	return PANES.filter(({ place }) => place.is === "left" || place.is === "right");
}

/** The pane that is shown at a place: of several, the one that has the keys, else the first. */
export function paneAt(place: "left" | "right", { side }: UiState): Pane | undefined {
	const here = PANES.filter((pane) => pane.place.is === place);
	return here.find(({ name }) => name === side) ?? here[0];
}

/** The bar shows the pane that was opened there, else the footer. */
export function barPane(ui: UiState): Pane {
	const open = openPane(ui);
	return open?.place.is === "bar" ? open : footerPane;
}
