/** What a run without a dashboard tells on stderr while it works. */
import type { RunEvent } from "../core/run-event.ts";
import { eventLine } from "./event-text.ts";

/** `trouble`: for who reads stderr later or never. Only that it takes long, and why. */
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

const FIRST_TROUBLE = 4; // that many times in a row: some ten seconds
const TROUBLE_EVERY_MS = 60_000;

/** A call that breaks again and again: once a minute for the whole run. */
function createTroubleFilter(): (event: RunEvent) => boolean {
	let saidAt = Number.NEGATIVE_INFINITY;
	return (event) => {
		const isIt = event.event === "turn_retrying" && event.attempt >= FIRST_TROUBLE;
		if (!isIt || event.at - saidAt < TROUBLE_EVERY_MS) return false;
		saidAt = event.at;
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
		case "agent_stopping":
			return false;
	}
}
