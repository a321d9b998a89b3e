/** How the history of the selected agent changes: pure. */

import type { AgentId } from "../../core/model/agent.ts";
import type { TranscriptEntry } from "../../core/model/transcript.ts";
import type { RunEvent } from "../../core/run/run-event.ts";
import { concerns } from "../../view/transcript/notices.ts";
import { emptyHistory, withEntries, withHappened, withoutLive, withRunning } from "./scene/agent-history.ts";
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
	return { ...picture, history: withEntries(picture.history, entries) };
}

/** An event came from the supervisor; it is in the log, too. */
export function happened(picture: Picture, event: RunEvent): Picture {
	const { history } = picture;
	if (!concerns(event, history.agent)) return picture;
	const next = withHappened(history, [event]);
	return { ...picture, history: isBreak(event, history.agent) ? withoutLive(next, event.at) : next };
}

function isBreak(event: RunEvent, agent: AgentId): boolean {
	const { event: is } = event;
	return (is === "turn_retrying" || is === "turn_failed" || is === "turn_cancelled") && event.agent === agent;
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
