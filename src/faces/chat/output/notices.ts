/** What happens to the root and to the run, a line each. Pure. */
import { ROOT } from "../../../core/model/agent.ts";
import { foldedMiddle } from "../../../core/preview.ts";
import { isQuestionEvent } from "../../../core/run/questions.ts";
import type { RunEvent } from "../../../core/run/run-event.ts";
import { oneLine } from "../../../text/safe/terminal-safe.ts";
import type { Line } from "../../../tui/text/line.ts";
import { meaningOf, newsText, subjectOf } from "../../../view/events/event-meaning.ts";
import { questionNotice } from "../../../view/events/question-meanings.ts";
import { rowsWithin } from "./shown-lines.ts";

export const NOTICE_MARK = "· ";
const MOST_CHARS = 1_000;

/** Nothing of what messages, commands, answers and children tell themselves. */
export function noticeOf(event: RunEvent, columns: number): Line[] {
	const text = textOf(event);
	if (text === undefined) return [];
	const { tone = "dim" } = meaningOf(event);
	return rowsWithin(foldedMiddle(oneLine(text), MOST_CHARS), tone, { columns, first: NOTICE_MARK });
}

function textOf(event: RunEvent): string | undefined {
	if (isQuestionEvent(event)) return questionNotice(event, { command: "/answer" });
	if (isToldOtherwise(event)) return undefined;
	const meaning = meaningOf(event);
	const { news } = meaning;
	const agent = subjectOf(event);
	if (news === undefined || news === "step") return undefined;
	if (agent === undefined) return `run: ${newsText(meaning)}`;
	if (agent === ROOT) return newsText(meaning);
	return news === "person" ? `agent ${agent} ${newsText(meaning)}` : undefined;
}

/** By the messages of the conversation, or, of its end, when it is left. */
function isToldOtherwise(event: RunEvent): boolean {
	if (event.event === "run_ended") return event.ending.by === "answer";
	return event.event === "message_sent" || event.event === "message_withdrawn";
}
