/**
 * Messages in the shape of the Messages API. Unknown blocks pass through unchanged: the service refuses a thinking block
 * that comes back altered.
 */
import type { AssistantBlock, AssistantMessage, UserMessage } from "./schemas/message.ts";

export type { AssistantBlock, ToolResultBlock, ToolUseBlock, UserBlock, UserMessage } from "./schemas/message.ts";

export type Message = UserMessage | AssistantMessage;

export interface Tool {
	name: string;
	description: string;
	/** Of its input, as JSON Schema. */
	input_schema: { type: "object"; properties: Record<string, object>; required: string[] };
}

/** The text of a message, without thinking and calls. */
export function textOf(content: readonly AssistantBlock[]): string {
	return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n\n");
}
