/** How a turn went, in words. Pure. */
import type { AssistantEntry } from "../core/model/transcript.ts";
import { totalTokens } from "../core/model/usage.ts";
import { formatDuration } from "../text/durations.ts";
import type { ToldTurn } from "./agent-story.ts";
import type { TurnEnd, TurnSpan } from "./timeline.ts";
import { describeUsage } from "./words/usage.ts";

/** `took 2s`, `1.2k in / 80 out, $0.0123`, `max_tokens`: what is known, and says something. `isOver`: its agent does no more. */
export function turnFacts({ span, answer }: ToldTurn, isOver: boolean): string[] {
	const how = answer === undefined ? broken(span?.end, isOver) : "took";
	const isUsual = answer === undefined || answer.stopReason === "tool_use" || answer.stopReason === "end_turn";
	return [
		...(span === undefined ? [] : [`${how} ${formatDuration(endOf(span, answer) - span.from)}`]),
		...used(answer ?? span?.end),
		...(isUsual ? [] : [answer.stopReason]),
	];
}

/** When it began; when it was answered where the log does not know that. */
export function turnStart({ span, answer }: ToldTurn): number | undefined {
	return span?.from ?? answer?.at;
}

/** An answer may be known before the log says that its turn has ended. */
function endOf({ to, end }: TurnSpan, answer: AssistantEntry | undefined): number {
	return end === undefined ? (answer?.at ?? to) : to;
}

function broken(end: TurnEnd | undefined, isOver: boolean): string {
	if (end === undefined) return isOver ? "its end is not known, after" : "under way for";
	switch (end.by) {
		case "failure":
			return "failed after";
		case "cancelled":
			return "cancelled after";
		case "cut_off":
			return "cut off after";
		case "answer":
			return "took";
	}
}

function used(call: AssistantEntry | TurnEnd | undefined): string[] {
	if (call === undefined || !("usage" in call)) return [];
	const isFree = totalTokens(call.usage) === 0 && call.costUsd === 0;
	return isFree ? [] : [describeUsage(call.usage, call.costUsd)];
}
