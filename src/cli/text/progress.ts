/** The progress of a run without a dashboard, on stderr. */
import type { AgentId } from "../../core/agent.ts";
import type { RunEvent } from "../../core/run-event.ts";
import type { RunState } from "../../core/run-state.ts";
import type { TranscriptEntry } from "../../core/transcript.ts";
import { isSmallerContext } from "../../events/act-text.ts";
import { EventLines, type EventLinesView } from "./event-lines.ts";
import { ProgressLines } from "./progress-lines.ts";

/** `none`: only what nobody may miss. `trouble`: only that a run takes long, and why, that an agent cannot ask, and that a context is smaller than was known; for a stderr that is read later or never. */
export type ProgressLevel = "none" | "trouble" | "main" | "all";

export interface Progress {
	/** `run`: after the event. */
	onEvent(event: RunEvent, run: RunState): void;
	onRecord(agent: AgentId, entry: TranscriptEntry): void;
}

/** `say` gets one line, safe for a terminal, with colours where `view` has some. */
export function createProgress(level: ProgressLevel, say: (line: string) => void, view: EventLinesView): Progress {
	switch (level) {
		case "none":
			return {
				onEvent: (event) => (isDoubtful(event) ? say(new EventLines(view).line(event)) : undefined),
				onRecord: () => {},
			};
		case "main": {
			const lines = new ProgressLines(view);
			const onEvent = (event: RunEvent, run: RunState) => {
				const line = lines.line(event, run);
				if (line !== undefined) say(line);
			};
			return { onEvent, onRecord: (agent, entry) => lines.onRecord(agent, entry) };
		}
		case "trouble":
		case "all": {
			const lines = new EventLines(view);
			const isSaid = level === "all" ? () => true : createTroubleFilter();
			const onEvent = (event: RunEvent) => {
				const line = lines.line(event);
				if (isSaid(event)) say(line);
			};
			return { onEvent, onRecord: () => {} };
		}
	}
}

/** A file that other programs run may have been changed by a command. */
const isDoubtful = (event: RunEvent) =>
	event.event === "place_replaced" && (event.outcome === "put_back" || event.outcome === "changed");

const TROUBLE_AFTER_MS = 60_000;
const TROUBLE_EVERY_MS = 60_000;

/** A call that has been breaking for a minute is told, then at most once a minute for the whole run. */
function createTroubleFilter(): (event: RunEvent) => boolean {
	const breakingSince = new Map<AgentId, number>();
	let saidAt = Number.NEGATIVE_INFINITY;
	let isUnaskedSaid = false;
	let isContextSaid = false;
	return (event) => {
		if (isDoubtful(event)) return true;
		if (event.event === "agent_ended") breakingSince.delete(event.agent);
		if (event.event === "question_refused") {
			const isFirst = !isUnaskedSaid;
			isUnaskedSaid = true;
			return isFirst;
		}
		if (event.event === "agent_changed") {
			const isNews = isSmallerContext(event) && !isContextSaid; // each agent finds it out by itself
			isContextSaid ||= isNews;
			return isNews;
		}
		if (event.event !== "turn_retrying") return false;
		const { agent, at, attempt } = event;
		const since = attempt === 1 ? at : (breakingSince.get(agent) ?? at);
		breakingSince.set(agent, since);
		if (at - since < TROUBLE_AFTER_MS || Math.abs(at - saidAt) < TROUBLE_EVERY_MS) return false;
		saidAt = at;
		return true;
	};
}
