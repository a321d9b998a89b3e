/**
 * Messages to and from a model. Their content is the service's: it is checked as far as a reader here relies on it and
 * passed on untouched, with blocks and keys that the service has invented since.
 */
import * as v from "valibot";
import { type AssistantBlock, EFFORTS, type Tool, type UserBlock } from "../message.ts";
import { isObject, number, oneOf, optional, text, untouched } from "./values.ts";

export const UserContentSchema = contentOf<UserBlock>({
	text: v.object({ text }),
	tool_result: v.object({ tool_use_id: text, content: text }),
});

export const AssistantContentSchema = contentOf<AssistantBlock>({
	text: v.object({ text }),
	thinking: v.object({ thinking: text }),
	tool_use: v.object({ id: text, name: text }),
});

const MessageSchema = oneOf("role", [
	v.object({ role: v.literal("user"), content: UserContentSchema }),
	v.object({ role: v.literal("assistant"), content: AssistantContentSchema }),
]);

const ToolSchema = untouched(
	v.object({ name: text, description: text, input_schema: v.custom<Tool["input_schema"]>(isObject) }),
);

export const EffortSchema = v.picklist(EFFORTS);

export const ModelRequestSchema = v.object({
	system: text,
	tools: v.array(ToolSchema),
	messages: v.array(MessageSchema),
	/** False in the last call at a limit. The tools stay in the request: they must stay byte-equal for the cache. */
	mayUseTools: v.boolean(),
	effort: optional(EffortSchema),
	/** Tokens of the answer at most; absent: the model's own bound. */
	maxTokens: optional(number),
});

/** By how much a prompt is too long, as far as the service says so. */
export const ContextFullSchema = v.object({ promptTokens: optional(number), maxTokens: optional(number) });

/** A piece of an answer while it streams. `command` is the text of a tool call that is being written. */
export const ModelDeltaSchema = v.object({
	kind: v.picklist(["text", "thinking", "command"]),
	text,
	/** Which block of the answer it belongs to, from 0; absent when the model does not say. */
	block: optional(number),
});

/** `known`: what a reader relies on in a block of that type. A type that is not known is shown by its name. */
function contentOf<Block>(known: Readonly<Record<string, v.GenericSchema>>) {
	return v.custom<Block[]>((content) => Array.isArray(content) && content.every((block) => isBlock(block, known)));
}

function isBlock(block: unknown, known: Readonly<Record<string, v.GenericSchema>>): boolean {
	if (!isObject(block) || typeof block.type !== "string") return false;
	const schema = Object.hasOwn(known, block.type) ? known[block.type] : undefined;
	return schema === undefined || v.is(schema, block);
}
