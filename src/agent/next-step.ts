/**
 * What an answer of the model asks for. An answer that is no end yet (cut, paused, empty, a call that is not there or
 * cannot be read) is gone on with, a bounded number of times in a row; what it said is kept and joined. Pure.
 */
import { type AssistantBlock, type ToolUseBlock, textOf } from "../core/model.ts";
import { isUnreadable } from "./bash/tool.ts";

/** The answers since the last one that ended as it should. */
export interface Unfinished {
	/** Their text, joined as if it were one answer. */
	readonly said: string;
	readonly times: number;
	/** It has been told that its answer was empty, or had no call. */
	readonly isNudged: boolean;
	/** Room was made for it already. */
	readonly isCompacted: boolean;
}

export const NONE_UNFINISHED: Unfinished = { said: "", times: 0, isNudged: false, isCompacted: false };

export type NextStep =
	| { do: "answer"; text: string }
	| { do: "run"; calls: ToolUseBlock[] }
	/** Not run are the calls, each answered with `words`; without any, `words` are said. */
	| { do: "go_on"; unfinished: Unfinished; calls: ToolUseBlock[]; words: string }
	/** As `go_on`, when there is room again: the context was full in the middle of it. */
	| { do: "compact"; unfinished: Unfinished; calls: ToolUseBlock[]; words: string }
	| { do: "fail"; reason: string };

export interface Answer {
	readonly content: readonly AssistantBlock[];
	readonly stopReason: string;
	readonly stopWords?: string;
}

export const MAX_UNFINISHED = 5; // in a row

/** `mayBeEmpty`: the model answers with what a command printed, which may be nothing. */
export function nextStep(answer: Answer, before: Unfinished, mayBeEmpty: boolean): NextStep {
	switch (answer.stopReason) {
		case "end_turn":
		case "stop_sequence":
		case "tool_use":
			return afterWhole(answer, before, mayBeEmpty);
		case "max_tokens":
			return afterCut(answer, before);
		case "pause_turn":
			return goOn(before, {
				said: textOf(answer.content).replace(/.$/s, "$&\n\n"),
				words: "Go on.",
				reason: "the model paused (pause_turn) and did not come to an end",
			});
		case "refusal":
			return fail(`the model refused (refusal)${answer.stopWords === undefined ? "" : `: ${answer.stopWords}`}`);
		case "model_context_window_exceeded":
			return afterFull(answer, before);
		default:
			return fail(`the model stopped for a reason that is not known here: ${answer.stopReason}`);
	}
}

function afterWhole({ content, stopReason }: Answer, before: Unfinished, mayBeEmpty: boolean): NextStep {
	const calls = callsIn(content);
	if (calls.length > 0 && calls.every(({ input }) => isUnreadable(input)))
		return goOn(before, {
			calls,
			words: "the input of this call was no whole JSON object; write the call anew",
			reason: "the model's tool calls were no valid JSON",
		});
	if (calls.length > 0) return { do: "run", calls };
	if (stopReason === "tool_use")
		return nudge(before, {
			words: "You stopped to call a tool, but no call is in your answer. Call it now, or give your answer.",
			reason: "the model stopped for a tool call (tool_use) and made none",
		});
	const text = before.said + textOf(content);
	if (text.trim() === "" && !mayBeEmpty)
		return nudge(before, {
			words: "Your answer was empty. Say now what you found, or go on with the task.",
			reason: "the model gave an empty answer",
		});
	return { do: "answer", text };
}

function afterCut({ content }: Answer, before: Unfinished): NextStep {
	const calls = callsIn(content);
	const reason = "the model's answer was cut at its token limit (max_tokens)";
	if (calls.length > 0)
		return goOn(before, {
			calls,
			words:
				"your answer was cut at its token limit (max_tokens), so none of its calls was run. Use a smaller command: write long files in several parts, one call an answer",
			reason,
		});
	const said = textOf(content);
	const words =
		said === ""
			? "Your answer was cut at its token limit before it said anything. Think less, and answer in fewer words."
			: "Your answer was cut at its token limit. Go on exactly where it stopped, in the middle of the word if need be, and repeat nothing.";
	return goOn(before, { said, words, reason });
}

/** Once; whether a second summary would help is not tried. Its calls may be cut, so none is run. */
function afterFull({ content }: Answer, before: Unfinished): NextStep {
	if (before.isCompacted)
		return fail("the model's context window is full (model_context_window_exceeded): give it a smaller task");
	const calls = callsIn(content);
	const said = calls.length > 0 ? "" : textOf(content);
	const words =
		calls.length > 0
			? "the context window was full before your answer was complete, so none of its calls was run; there is room again: call anew"
			: said === ""
				? "The context window was full before you said anything. There is room again: go on."
				: "The context window was full in the middle of your answer. There is room again: go on exactly where it stopped, and repeat nothing.";
	const step = goOn({ ...before, isCompacted: true }, { said, calls, words, reason: "the context window is full" });
	return step.do === "go_on" ? { ...step, do: "compact" } : step;
}

function goOn(
	{ said, times, isNudged, isCompacted }: Unfinished,
	how: { said?: string; calls?: ToolUseBlock[]; words: string; reason: string },
): NextStep {
	if (times >= MAX_UNFINISHED) return fail(`${how.reason}, ${times + 1} times in a row`);
	const unfinished = { said: said + (how.said ?? ""), times: times + 1, isNudged, isCompacted };
	return { do: "go_on", unfinished, calls: how.calls ?? [], words: how.words };
}

/** Once, for an answer in which nothing is to be gone on with. */
function nudge(before: Unfinished, how: { words: string; reason: string }): NextStep {
	return before.isNudged ? fail(how.reason) : goOn({ ...before, isNudged: true }, how);
}

function fail(reason: string): NextStep {
	return { do: "fail", reason };
}

function callsIn(content: readonly AssistantBlock[]): ToolUseBlock[] {
	return content.filter((block) => block.type === "tool_use");
}
