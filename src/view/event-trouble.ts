/** Which events are about something that did not go well. Pure. */

import type { CommandEnd } from "../core/command.ts";
import type { Ending } from "../core/model/agent.ts";
import { isFilesEvent } from "../core/run/files-event.ts";
import { isQuestionEvent } from "../core/run/questions.ts";
import type { RunEvent } from "../core/run/run-event.ts";
import { troubleOfFiles } from "./files-text.ts";

/** Whether it is about something that did not go well: `bad` has failed, `warn` goes on. */
export function troubleOf(event: RunEvent): "bad" | "warn" | undefined {
	if (isFilesEvent(event)) return troubleOfFiles(event);
	if (isQuestionEvent(event)) return event.event === "question_asked" ? "warn" : undefined; // it waits for a person
	switch (event.event) {
		case "turn_failed":
			return "bad";
		case "agent_listening":
			return event.reason === undefined ? undefined : "warn";
		case "agent_ended":
		case "run_ended":
			return toneOfEnding(event.ending);
		case "command_ended":
			return toneOfCommand(event.end);
		case "message_unheard":
		case "child_refused":
		case "client_refused":
		case "host_refused":
		case "turn_refused":
		case "turn_retrying":
		case "calls_slowed":
		case "shortage_began":
		case "budget_noticed":
		case "agent_repeats":
		case "agent_stopping":
		case "run_stopping":
			return "warn";
		case "run_started":
		case "run_resumed":
		case "run_forked":
		case "run_named":
		case "agent_joined":
		case "agent_resumed":
		case "agent_paused":
		case "agent_continued":
		case "message_sent":
		case "message_delivered":
		case "message_withdrawn":
		case "agent_interrupted":
		case "agent_changed":
		case "todo_changed":
		case "aside_ended":
		case "turn_queued":
		case "turn_started":
		case "turn_ended":
		case "turn_cancelled":
		case "history_compacted":
		case "command_started":
		case "shortage_ended":
			return undefined;
	}
}

function toneOfEnding({ by }: Ending): "bad" | "warn" | undefined {
	if (by === "answer") return undefined;
	return by === "stopped" ? "warn" : "bad";
}

/** An exit status is for the model to judge: `grep` that finds nothing has one, too. */
function toneOfCommand(end: CommandEnd): "bad" | "warn" | undefined {
	switch (end.by) {
		case "exit":
			return end.code === 0 ? undefined : "warn";
		case "stopped":
			return "warn";
		case "signal":
		case "timeout":
		case "not_started":
			return "bad";
	}
}
