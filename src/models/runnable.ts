import type { AssistantBlock } from "../core/model.ts";

/**
 * What of an answer may go on. A tool call may run only if the model meant to stop for it: after `max_tokens`,
 * `refusal` or any other end its text may be cut in the middle of a path, so such calls are left out and the text is
 * kept. Text of nothing but white space is left out too, since the service refuses it when it is sent back.
 */
export function runnable(content: readonly AssistantBlock[], stopReason: string): AssistantBlock[] {
	return content.filter((block) => {
		if (block.type === "tool_use") return stopReason === "tool_use";
		return block.type !== "text" || block.text.trim() !== "";
	});
}
