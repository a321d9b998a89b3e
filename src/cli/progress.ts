/** What a run without a dashboard tells on stderr while it works. */
import type { RunEvent } from "../core/run-event.ts";
import { eventLine } from "./event-text.ts";

export type ProgressLevel = "none" | "main" | "all";
export type Progress = (event: RunEvent) => void;

export function createProgress(level: ProgressLevel, say: (line: string) => void): Progress {
	return (event) => {
		if (level === "all" || (level === "main" && isMain(event))) say(eventLine(event));
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
