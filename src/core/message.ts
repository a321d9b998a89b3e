/**
 * Messages in the shape of the Messages API. Unknown blocks pass through unchanged: the service refuses a thinking block
 * that comes back altered.
 */

export interface TextBlock {
	type: "text";
	text: string;
}
export interface ThinkingBlock {
	type: "thinking";
	thinking: string;
	signature: string;
}
export interface RedactedThinkingBlock {
	type: "redacted_thinking";
	data: string;
}
export interface ToolUseBlock {
	type: "tool_use";
	id: string;
	name: string;
	input: unknown;
}
export interface ToolResultBlock {
	type: "tool_result";
	tool_use_id: string;
	content: string;
	is_error?: boolean;
}
export type AssistantBlock = TextBlock | ThinkingBlock | RedactedThinkingBlock | ToolUseBlock;
export type UserBlock = TextBlock | ToolResultBlock;

export type UserMessage = { role: "user"; content: UserBlock[] };
export type AssistantMessage = { role: "assistant"; content: AssistantBlock[] };
export type Message = UserMessage | AssistantMessage;

export interface Tool {
	name: string;
	description: string;
	input_schema: { type: "object"; properties: Record<string, object>; required: string[] };
}

export const EFFORTS = ["low", "medium", "high", "xhigh", "max"] as const;
export type Effort = (typeof EFFORTS)[number];

/** The text of a message, without thinking and calls. */
export function textOf(content: readonly AssistantBlock[]): string {
	return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n\n");
}
