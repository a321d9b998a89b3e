/** What happens to the root and to the run, a line each. Pure. */
import { ROOT } from "../../core/agent.ts";
import type { RunEvent } from "../../core/run-event.ts";
import { describeEvent } from "../../events/event-text.ts";
import { troubleOf } from "../../events/event-trouble.ts";
import { happeningOf } from "../../events/happenings.ts";
import type { ShownLine } from "../../text/styled-line.ts";
import { oneLine } from "../../text/terminal-safe.ts";
import { rowsWithin } from "./shown-lines.ts";

const MOST_CHARS = 1_000;

/** Nothing of what messages, commands, turns and children tell themselves. */
export function noticeOf(event: RunEvent, columns: number): ShownLine[] {
	const text = textOf(event);
	if (text === undefined) return [];
	const style = troubleOf(event) ?? "dim";
	return rowsWithin(oneLine(text).slice(0, MOST_CHARS), style, { columns, first: "· " });
}

function textOf(event: RunEvent): string | undefined {
	switch (event.event) {
		case "turn_failed":
		case "history_compacted":
			return event.agent === ROOT ? describeEvent(event) : undefined;
		case "message_sent":
			return event.agent === ROOT || event.from !== null ? undefined : `agent ${event.agent} ${describeEvent(event)}`;
		case "turn_queued":
			return undefined; // live
		default:
			return happeningOf(event, ROOT)?.text;
	}
}
