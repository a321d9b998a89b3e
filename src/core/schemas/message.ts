/**
 * Messages to and from a model. Their content is the service's: it is checked as far as a reader here relies on it and
 * passed on untouched, with blocks and keys that the service has invented since.
 */
import * as v from "valibot";
import { EFFORTS } from "../effort.ts";
import { isObject, number, oneOf, optional, text } from "./values.ts";

const TextBlockSchema = v.object({ type: v.literal("text"), text });
const ThinkingBlockSchema = v.object({ type: v.literal("thinking"), thinking: text, signature: text });
const RedactedThinkingBlockSchema = v.object({ type: v.literal("redacted_thinking"), data: text });
const ToolUseBlockSchema = v.object({ type: v.literal("tool_use"), id: text, name: text, input: v.unknown() });
export type ToolUseBlock = v.InferOutput<typeof ToolUseBlockSchema>;
const ToolResultBlockSchema = v.object({
	type: v.literal("tool_result"),
	tool_use_id: text,
	content: text,
	is_error: optional(v.boolean()),
});
export type ToolResultBlock = v.InferOutput<typeof ToolResultBlockSchema>;

export type UserBlock = v.InferOutput<typeof TextBlockSchema | typeof ToolResultBlockSchema>;
export type AssistantBlock = v.InferOutput<
	typeof TextBlockSchema | typeof ThinkingBlockSchema | typeof RedactedThinkingBlockSchema | typeof ToolUseBlockSchema
>;

export const UserContentSchema = contentOf<UserBlock>({
	text: TextBlockSchema,
	tool_result: v.omit(ToolResultBlockSchema, ["is_error"]),
});

export const AssistantContentSchema = contentOf<AssistantBlock>({
	text: TextBlockSchema,
	thinking: v.omit(ThinkingBlockSchema, ["signature"]),
	tool_use: v.omit(ToolUseBlockSchema, ["input"]),
});

const UserMessageSchema = v.object({ role: v.literal("user"), content: UserContentSchema });
export type UserMessage = v.InferOutput<typeof UserMessageSchema>;
const AssistantMessageSchema = v.object({ role: v.literal("assistant"), content: AssistantContentSchema });
export type AssistantMessage = v.InferOutput<typeof AssistantMessageSchema>;
/** The messages of an agent's request: whatever its model has said, and of its own only what agents write. */
export const OwnMessagesSchema = v.array(
	oneOf("role", [v.object({ role: v.literal("user"), content: ownContent() }), AssistantMessageSchema]),
);

export const EffortSchema = v.picklist(EFFORTS);

/** By how much a prompt is too long, as far as the service says so. */
export const ContextFullSchema = v.object({
	promptTokens: optional(number),
	/** The most tokens that the model takes. */
	maxTokens: optional(number),
});
export type ContextFull = v.InferOutput<typeof ContextFullSchema>;

/** A piece of an answer while it streams. `command` is the text of a tool call that is being written. */
export const ModelDeltaSchema = v.object({
	kind: v.picklist(["text", "thinking", "command"]),
	text,
	/** Which block of the answer it belongs to, from 0; absent when the model does not say. */
	block: optional(number),
});
export type ModelDelta = v.InferOutput<typeof ModelDeltaSchema>;

/** `known`: what a reader relies on in a block of that type. A block of another type is accepted as it is. */
function contentOf<Block>(known: Readonly<Record<string, v.GenericSchema>>) {
	return v.custom<Block[]>((content) => Array.isArray(content) && content.every((block) => isBlock(block, known)));
}

/** Texts and results without any other key: a service may act on what it finds beside them. A history is long, so nothing is copied. */
function ownContent() {
	const keys = new Set(["type", "text", "tool_use_id", "content", "is_error"]);
	const schemas = { text: TextBlockSchema, tool_result: ToolResultBlockSchema };
	const isOwn = (block: unknown) =>
		isObject(block) &&
		(block.type === "text" || block.type === "tool_result") &&
		Object.keys(block).every((key) => keys.has(key)) &&
		v.is(schemas[block.type], block);
	return v.custom<UserBlock[]>((content) => Array.isArray(content) && content.every(isOwn));
}

function isBlock(block: unknown, known: Readonly<Record<string, v.GenericSchema>>): boolean {
	if (!isObject(block) || typeof block.type !== "string") return false;
	const schema = Object.hasOwn(known, block.type) ? known[block.type] : undefined;
	return schema === undefined || v.is(schema, block);
}
