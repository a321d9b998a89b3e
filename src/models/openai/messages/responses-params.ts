/** The body of a request to /responses. Nothing is kept by the service: the whole history goes with each request. */
import type { Effort } from "../../../core/effort.ts";
import type { AssistantBlock, Message, UserBlock } from "../../../core/model/message.ts";
import type { ModelRequest } from "../../../core/model/model.ts";
import { jsonOf } from "../../protocol/service-words.ts";
import { isObject } from "../../protocol/valid-content.ts";
import { thinkingOf } from "../../provider/marked-thinking.ts";
import { type Host, serviceName } from "../host.ts";
import { callId } from "./tool-calls.ts";

interface ResponsesParams {
	model: string;
	instructions: string;
	input: object[];
	tools: { type: "function"; name: string; description: string; parameters: object; strict: false }[];
	stream: true;
	store: false;
	include?: ["reasoning.encrypted_content"];
	reasoning?: { effort?: Effort; summary?: "auto" };
	max_output_tokens?: number;
	tool_choice?: "none";
}

/** `maxTokens`: as in chatParams. */
export function responsesParams(
	name: string,
	{ system, tools, messages, mayUseTools, effort }: ModelRequest,
	{ host, maxTokens }: { host: Host; maxTokens: number | undefined },
): ResponsesParams {
	const { flags } = host;
	const reasoning = {
		...(effort !== undefined && flags.effort !== "none" && { effort }),
		...(flags.thinkingSummary && { summary: "auto" as const }),
	};
	return {
		model: serviceName(name),
		instructions: system,
		input: messages.flatMap((message) => itemsOf(message, host.name)),
		tools: tools.map((tool) => ({
			...{ type: "function", name: tool.name, description: tool.description },
			...{ parameters: tool.input_schema, strict: false },
		})),
		stream: true,
		store: false,
		...(flags.encryptedThinking && { include: ["reasoning.encrypted_content"] }),
		...(Object.keys(reasoning).length > 0 && { reasoning }),
		...(maxTokens !== undefined && { max_output_tokens: maxTokens }),
		...(!mayUseTools && flags.toolChoice && { tool_choice: "none" }),
	};
}

function itemsOf({ role, content }: Message, service: string): object[] {
	return role === "user"
		? (content as UserBlock[]).map(userItem)
		: (content as AssistantBlock[]).flatMap((block) => assistantItem(block, service) ?? []);
}

function userItem(block: UserBlock): object {
	if (block.type === "text")
		return { type: "message", role: "user", content: [{ type: "input_text", text: block.text }] };
	return { type: "function_call_output", call_id: callId(block.tool_use_id), output: block.content };
}

/**
 * Thinking of this service goes back as it came; that of others, and blocks of other types, do not. Without its encrypted form an
 * item is but the name of one that the service was told not to keep, so it would be refused.
 */
function assistantItem(block: AssistantBlock, service: string): object | undefined {
	if (block.type === "text")
		return { type: "message", role: "assistant", content: [{ type: "output_text", text: block.text }] };
	if (block.type === "tool_use")
		return {
			...{ type: "function_call", call_id: callId(block.id) },
			...{ name: block.name, arguments: JSON.stringify(block.input) },
		};
	const item = jsonOf(thinkingOf(block, service)?.data ?? "");
	return isObject(item) && item.encrypted_content ? item : undefined;
}
