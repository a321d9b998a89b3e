/** How the history of the selected agent changes, and with it the place of who reads it: pure. */

import type { TranscriptEntry } from "../../core/model/transcript.ts";
import type { RunEvent } from "../../core/run/run-event.ts";
import { placeAfterBreak, placeAfterRecord } from "./panes/place-keys.ts";
import { emptyHistory, withEntries, withHappened, withoutLive, withRunning } from "./scene/agent-history.ts";
import { concerns } from "./scene/agent-notices.ts";
import type { Picture } from "./scene/scene.ts";

/** A picture shows the history of its selected agent. */
export function refocus(picture: Picture): Picture {
	const { ui, history, events } = picture;
	if (ui.selected === history.agent) return picture;
	const told = events.filter((event) => concerns(event, ui.selected));
	return knowingCommands({ ...picture, history: withHappened(emptyHistory(ui.selected), told) });
}

/** Lines were added to the transcript: what has streamed may be recorded in them. */
export function recorded(picture: Picture, entries: readonly TranscriptEntry[]): Picture {
	const { history, ui } = picture;
	const scroll = placeAfterRecord(ui.scroll, history, entries);
	return { ...picture, ui: { ...ui, scroll }, history: withEntries(history, entries) };
}

/** An event came from the supervisor; it is in the log, too. */
export function happened(picture: Picture, event: RunEvent): Picture {
	const { history, ui } = picture;
	if (!concerns(event, history.agent)) return picture;
	const next = withHappened(history, [event]);
	if (event.event !== "turn_retrying") return { ...picture, history: next };
	const scroll = placeAfterBreak(ui.scroll, history, event.at);
	return { ...picture, ui: { ...ui, scroll }, history: withoutLive(next, event.at) };
}

/** Events were read from the log; some of them have come from the supervisor, too. */
export function logged(picture: Picture, events: readonly RunEvent[]): Picture {
	const { history } = picture;
	const told = events.filter((event) => concerns(event, history.agent));
	return { ...picture, history: withHappened(history, told) };
}

/** The commands that run are in the history, also where no event told of them. */
export function knowingCommands(picture: Picture): Picture {
	const { history, run } = picture;
	const agent = run.agents[history.agent];
	return agent === undefined ? picture : { ...picture, history: withRunning(history, agent) };
}
