/**
 * Messages to and from a model. Their content is the service's: it is checked as far as a reader here relies on it and
 * passed on untouched, with blocks and keys that the service has invented since.
 */
import * as v from "valibot";
import { EFFORTS } from "../effort.ts";
import { isObject, number, optional, text } from "./values.ts";

interface TextBlock {
	type: "text";
	text: string;
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
type Thought = { type: "thinking"; thinking: string; signature: string } | { type: "redacted_thinking"; data: string };

export type UserBlock = TextBlock | ToolResultBlock;
export type AssistantBlock = TextBlock | Thought | ToolUseBlock;

/** The texts that a reader relies on in a block of each type. A block of another type is accepted as it is. */
type KnownTexts = Readonly<Record<string, readonly string[]>>;
const OF_USER: KnownTexts = { text: ["text"], tool_result: ["tool_use_id", "content"] };
const OF_ASSISTANT: KnownTexts = { text: ["text"], thinking: ["thinking"], tool_use: ["id", "name"] };

export const UserContentSchema = v.custom<UserBlock[]>((content) => isContent(content, OF_USER));
export const AssistantContentSchema = v.custom<AssistantBlock[]>((content) => isContent(content, OF_ASSISTANT));

export interface UserMessage {
	role: "user";
	content: UserBlock[];
}
export interface AssistantMessage {
	role: "assistant";
	content: AssistantBlock[];
}

/**
 * The messages of an agent's request: whatever its model has said, and of its own only what agents write. A history is long, and comes
 * with each request: it is looked through in one go, and nothing of it is copied.
 */
export const OwnMessagesSchema = v.custom<(UserMessage | AssistantMessage)[]>(
	(messages) => Array.isArray(messages) && messages.every(isOwnMessage),
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

function isOwnMessage(message: unknown): boolean {
	if (!isObject(message) || Object.keys(message).length !== 2) return false;
	const { role, content } = message;
	if (role === "assistant") return isContent(content, OF_ASSISTANT);
	return role === "user" && isContent(content, OF_USER) && content.every(isOwnBlock);
}

const OWN_KEYS = new Set(["type", "text", "tool_use_id", "content", "is_error"]);

/** A text or a result without any other key: a service may act on what it finds beside them. */
function isOwnBlock(block: Record<string, unknown>): boolean {
	const { type, is_error: isError } = block;
	if (type !== "text" && type !== "tool_result") return false;
	if (isError !== undefined && typeof isError !== "boolean") return false;
	for (const key in block) if (!OWN_KEYS.has(key)) return false;
	return true;
}

function isContent(content: unknown, known: KnownTexts): content is Record<string, unknown>[] {
	return Array.isArray(content) && content.every((block) => isBlock(block, known));
}

function isBlock(block: unknown, known: KnownTexts): boolean {
	if (!isObject(block) || typeof block.type !== "string") return false;
	const texts = Object.hasOwn(known, block.type) ? known[block.type] : undefined;
	return texts === undefined || texts.every((key) => typeof block[key] === "string");
}
