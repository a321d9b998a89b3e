/** What happens to the root and to the run, a line each. Pure. */

import { ROOT } from "../../../core/model/agent.ts";
import { foldedMiddle } from "../../../core/preview.ts";
import { type FilesEvent, isFilesEvent } from "../../../core/run/files-event.ts";
import { isQuestionEvent } from "../../../core/run/questions.ts";
import type { RunEvent } from "../../../core/run/run-event.ts";
import { oneLine } from "../../../text/safe/terminal-safe.ts";
import { describeEnding } from "../../../text/states.ts";
import type { ShownLine } from "../../../tui/text/styled-line.ts";
import { describeEvent } from "../../../view/event-text.ts";
import { troubleOf } from "../../../view/event-trouble.ts";
import { questionNotice } from "../../../view/question-text.ts";
import { rowsWithin } from "./shown-lines.ts";

export const NOTICE_MARK = "· ";
const MOST_CHARS = 1_000;

/** Nothing of what messages, commands, answers and children tell themselves. */
export function noticeOf(event: RunEvent, columns: number): ShownLine[] {
	const text = textOf(event);
	if (text === undefined) return [];
	const style = troubleOf(event) ?? "dim";
	return rowsWithin(foldedMiddle(oneLine(text), MOST_CHARS), style, { columns, first: NOTICE_MARK });
}

function textOf(event: RunEvent): string | undefined {
	if (isFilesEvent(event)) return textOfFiles(event);
	if (isQuestionEvent(event)) return questionNotice(event, { command: "/answer" });
	switch (event.event) {
		case "turn_retrying":
		case "turn_failed":
		case "turn_refused":
		case "budget_noticed":
		case "agent_repeats":
		case "agent_changed":
			return event.agent === ROOT ? describeEvent(event) : undefined;
		case "message_unheard":
		case "agent_paused":
		case "agent_continued":
		case "host_refused":
		case "agent_interrupted":
			return textOfAct(event);
		case "agent_listening":
			return event.reason === undefined ? undefined : event.reason;
		case "child_refused":
			return (event.parent ?? ROOT) === ROOT ? describeEvent(event) : undefined;
		case "agent_ended":
		case "run_ended":
			return textOfEnd(event);
		case "calls_slowed":
		case "shortage_began":
		case "shortage_ended":
		case "client_refused":
		case "run_stopping":
		case "run_resumed":
		case "run_named":
			return `run: ${describeEvent(event)}`;
		case "run_started":
		case "run_forked":
		case "agent_joined":
		case "agent_resumed":
		case "agent_stopping": // that of the root is told of the run
		case "turn_queued":
		case "turn_started":
		case "turn_ended":
		case "turn_cancelled":
		case "history_compacted":
		case "message_sent":
		case "message_delivered":
		case "message_withdrawn":
		case "aside_ended":
		case "todo_changed":
		case "command_started":
		case "command_ended":
			return undefined;
	}
}

type Act = Extract<
	RunEvent,
	{ event: "message_unheard" | "agent_paused" | "agent_continued" | "agent_interrupted" | "host_refused" }
>;

function textOfAct(event: Act): string | undefined {
	if (event.event === "agent_interrupted") return event.agent === ROOT ? "interrupted" : undefined;
	if (event.event === "message_unheard" && event.from !== null) return undefined; // what agents say to one another is in the log
	return event.agent === ROOT ? describeEvent(event) : `agent ${event.agent} ${describeEvent(event)}`;
}

function textOfEnd(event: Extract<RunEvent, { event: "agent_ended" | "run_ended" }>): string | undefined {
	if (event.ending.by === "answer") return undefined;
	if (event.event === "agent_ended" && event.ending.by === "stopped") return undefined; // the stop was told
	if (event.event === "run_ended") return `the run has ended: ${describeEnding(event.ending)}`;
	return event.agent === ROOT ? describeEvent(event) : undefined;
}

function textOfFiles(event: FilesEvent): string | undefined {
	switch (event.event) {
		case "tree_kept":
			return event.notice === undefined ? undefined : `undo leaves as it is: ${event.notice}`;
		case "tree_not_kept":
			return `nothing that follows can be undone: ${event.reason}`;
		case "worktree_kept": // that of the root is told of when the conversation is over
			return event.agent === ROOT ? undefined : `agent ${event.agent} ${describeEvent(event)}`;
		case "place_replaced":
			return event.outcome === "covered" ? undefined : describeEvent(event);
		case "worktree_begun":
		case "worktree_removed":
			return undefined;
	}
}
