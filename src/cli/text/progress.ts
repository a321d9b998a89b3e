/** The progress of a run without a dashboard, on stderr. */
import type { AgentId } from "../../core/agent.ts";
import type { RunEvent } from "../../core/run-event.ts";
import { eventLine } from "../../events/event-text.ts";

/** `trouble`: only that a run takes long, and why; for a stderr that is read later or never. */
export type ProgressLevel = "none" | "trouble" | "main" | "all";
export type Progress = (event: RunEvent) => void;

export function createProgress(level: ProgressLevel, say: (line: string) => void): Progress {
	const isTrouble = createTroubleFilter();
	const isSaid = {
		none: () => false,
		trouble: isTrouble,
		main: isMain,
		all: () => true,
	}[level];
	return (event) => {
		if (isSaid(event)) say(eventLine(event));
	};
}

const TROUBLE_AFTER_MS = 60_000;
const TROUBLE_EVERY_MS = 60_000;

/** A call that has been breaking for a minute is told, then at most once a minute for the whole run. */
function createTroubleFilter(): (event: RunEvent) => boolean {
	const breakingSince = new Map<AgentId, number>();
	let saidAt = Number.NEGATIVE_INFINITY;
	return (event) => {
		if (event.event === "agent_ended") breakingSince.delete(event.agent);
		if (event.event !== "turn_retrying") return false;
		const { agent, at, attempt } = event;
		const since = attempt === 1 ? at : (breakingSince.get(agent) ?? at);
		breakingSince.set(agent, since);
		if (at - since < TROUBLE_AFTER_MS || Math.abs(at - saidAt) < TROUBLE_EVERY_MS) return false;
		saidAt = at;
		return true;
	};
}

function isMain({ event }: RunEvent): boolean {
	switch (event) {
		case "run_started":
		case "run_resumed":
		case "agent_joined":
		case "agent_resumed":
		case "child_refused":
		case "turn_retrying":
		case "turn_failed":
		case "budget_noticed":
		case "history_compacted":
		case "calls_slowed":
		case "turn_refused":
		case "command_started":
		case "agent_repeats":
		case "message_sent":
		case "agent_paused":
		case "agent_continued":
		case "agent_ended":
		case "shortage_began":
		case "shortage_ended":
		case "run_stopping":
		case "run_ended":
			return true;
		case "turn_queued":
		case "turn_started":
		case "turn_ended":
		case "turn_cancelled":
		case "command_ended":
		case "message_delivered":
		case "client_refused":
		case "agent_stopping":
			return false;
	}
}
