/**
 * What the agent does after an answer of the model. An unfinished answer (cut, paused, empty, with a call that is missing
 * or cannot be read) is continued, a bounded number of times in a row; its parts are joined. Pure.
 */

import { isUnreadable } from "../../core/model/bash-tool.ts";
import { type AssistantBlock, callsIn, type ToolUseBlock, textOf } from "../../core/model/message.ts";

/** The unfinished answers since the last finished one. */
export interface Unfinished {
	/** Their text, joined as if it were one answer. */
	readonly text: string;
	readonly times: number;
	/** The model was asked once more, since its answer was empty or had no call. */
	readonly isNudged: boolean;
	/** The context was compacted for it once. */
	readonly isCompacted: boolean;
}

export const NONE_UNFINISHED: Unfinished = { text: "", times: 0, isNudged: false, isCompacted: false };

export type NextStep =
	| { do: "answer"; text: string }
	| { do: "run"; calls: ToolUseBlock[] }
	/** Ask again without running any of `calls`: `instruction` is the result of each, or a message when there are none. */
	| { do: "continue"; unfinished: Unfinished; calls: ToolUseBlock[]; instruction: string }
	/** The context was full in the middle of the answer: compact it, then as `continue`. */
	| { do: "compact"; unfinished: Unfinished; calls: ToolUseBlock[]; instruction: string }
	| { do: "fail"; reason: string };

export interface Answer {
	readonly content: readonly AssistantBlock[];
	readonly stopReason: string;
	readonly stopWords?: string;
}

export const MAX_UNFINISHED = 5; // in a row

/** `mayBeEmpty`: the model's answer is what a command printed, which may be nothing. */
export function nextStep(answer: Answer, before: Unfinished, mayBeEmpty: boolean): NextStep {
	switch (answer.stopReason) {
		case "end_turn":
		case "stop_sequence":
		case "tool_use":
			return afterWhole(answer, before, mayBeEmpty);
		case "max_tokens":
			return afterCut(answer, before);
		case "pause_turn":
			return continueWith(before, {
				text: textOf(answer.content).replace(/.$/s, "$&\n\n"),
				instruction: "Go on.",
				reason: "the model paused (pause_turn) and did not finish",
			});
		case "refusal":
			return fail(`the model refused (refusal)${answer.stopWords === undefined ? "" : `: ${answer.stopWords}`}`);
		case "model_context_window_exceeded":
			return afterFull(answer, before);
		default:
			return fail(`the model stopped for an unknown reason: ${answer.stopReason}`);
	}
}

function afterWhole({ content, stopReason }: Answer, before: Unfinished, mayBeEmpty: boolean): NextStep {
	const calls = callsIn(content);
	if (calls.length > 0 && calls.every(({ input }) => isUnreadable(input)))
		return continueWith(before, {
			calls,
			instruction: "the input of this call was not a complete JSON object; write the call again",
			reason: "the model's tool calls were not valid JSON",
		});
	if (calls.length > 0) return { do: "run", calls };
	if (stopReason === "tool_use")
		return nudge(before, {
			instruction: "You stopped to call a tool, but your answer has no call. Call it now, or give your answer.",
			reason: "the model stopped for a tool call (tool_use) and made none",
		});
	const text = before.text + textOf(content);
	if (text.trim() === "" && !mayBeEmpty)
		return nudge(before, {
			instruction: "Your answer was empty. Say what you found, or continue the task.",
			reason: "the model gave an empty answer",
		});
	return { do: "answer", text };
}

function afterCut({ content }: Answer, before: Unfinished): NextStep {
	const calls = callsIn(content);
	const reason = "the model's answer was cut at its token limit (max_tokens)";
	if (calls.length > 0)
		return continueWith(before, {
			calls,
			instruction:
				"your answer was cut at its token limit (max_tokens), so none of its calls was run. Use a smaller command: write long files in several parts, one call per answer",
			reason,
		});
	const text = textOf(content);
	const instruction =
		text === ""
			? "Your answer was cut at its token limit before it said anything. Think less, and answer in fewer words."
			: "Your answer was cut at its token limit. Continue exactly where it stopped, mid-word if necessary, and repeat nothing.";
	return continueWith(before, { text, instruction, reason });
}

/** One compaction for an answer; a second would hardly help. The calls of the answer may be cut, so none is run. */
function afterFull({ content }: Answer, before: Unfinished): NextStep {
	if (before.isCompacted)
		return fail("the model's context window is full (model_context_window_exceeded): give it a smaller task");
	const calls = callsIn(content);
	const text = calls.length > 0 ? "" : textOf(content);
	const instruction =
		calls.length > 0
			? "the context window was full before your answer was complete, so none of its calls was run; there is room again: repeat the call"
			: text === ""
				? "The context window was full before you said anything. There is room again: continue."
				: "The context window was full in the middle of your answer. There is room again: continue exactly where it stopped, and repeat nothing.";
	const step = continueWith(
		{ ...before, isCompacted: true },
		{ text, calls, instruction, reason: "the context window is full" },
	);
	return step.do === "continue" ? { ...step, do: "compact" } : step;
}

function continueWith(
	{ text, times, isNudged, isCompacted }: Unfinished,
	how: { text?: string; calls?: ToolUseBlock[]; instruction: string; reason: string },
): NextStep {
	if (times >= MAX_UNFINISHED) return fail(`${how.reason}, ${times + 1} times in a row`);
	const unfinished = { text: text + (how.text ?? ""), times: times + 1, isNudged, isCompacted };
	return { do: "continue", unfinished, calls: how.calls ?? [], instruction: how.instruction };
}

/** An answer that has nothing to continue is asked for once more; then it is a failure. */
function nudge(before: Unfinished, how: { instruction: string; reason: string }): NextStep {
	return before.isNudged ? fail(how.reason) : continueWith({ ...before, isNudged: true }, how);
}

function fail(reason: string): NextStep {
	return { do: "fail", reason };
}
