/** What an answer of the model asks for. Pure. */
import { type AssistantBlock, type ToolUseBlock, textOf } from "../core/model.ts";

export type NextStep =
	| { do: "answer"; text: string }
	| { do: "run"; calls: ToolUseBlock[] }
	| { do: "fail"; reason: string };

/** `mayBeEmpty`: the model answers with what a command printed, which may be nothing. */
export function nextStep(content: readonly AssistantBlock[], stopReason: string, mayBeEmpty: boolean): NextStep {
	const calls = content.filter((block) => block.type === "tool_use");
	const text = textOf(content);
	switch (stopReason) {
		case "end_turn":
		case "stop_sequence":
		case "tool_use":
			if (calls.length > 0) return { do: "run", calls };
			if (text.trim() === "" && !mayBeEmpty) return { do: "fail", reason: "the model gave an empty answer" };
			return { do: "answer", text };
		case "max_tokens":
			return { do: "fail", reason: "the model's answer was cut at its token limit (max_tokens)" };
		case "refusal":
			return { do: "fail", reason: "the model refused (refusal)" };
		case "pause_turn":
		case "model_context_window_exceeded":
			return { do: "fail", reason: `the model stopped early (${stopReason})` };
		default:
			return { do: "fail", reason: `the model stopped for a reason that is not known here: ${stopReason}` };
	}
}
