/** A history in the shape of the Messages API as messages of /chat/completions. The same history gives the same messages. */
import type { AssistantBlock, Message, UserBlock } from "../../core/message.ts";
import { jsonOf } from "../messages-api/service-words.ts";
import { thinkingOf } from "../provider/marked-thinking.ts";
import { callId } from "./call-id.ts";
import type { Host } from "./host.ts";

export interface ChatMessage {
	readonly role: "system" | "developer" | "user" | "assistant" | "tool";
	readonly content: string | null;
	readonly tool_calls?: readonly ChatCall[];
	readonly tool_call_id?: string;
	readonly reasoning_content?: string;
	readonly reasoning?: string;
	readonly reasoning_details?: unknown;
}

interface ChatCall {
	readonly id: string;
	readonly type: "function";
	readonly function: { readonly name: string; readonly arguments: string };
}

export function chatMessages(system: string, messages: readonly Message[], host: Host): ChatMessage[] {
	const first: ChatMessage = { role: host.flags.systemRole, content: system };
	return [
		first,
		...messages.flatMap(({ role, content }) =>
			role === "user" ? userMessages(content as UserBlock[]) : [assistantMessage(content as AssistantBlock[], host)],
		),
	];
}

/** Results come right after their calls, each a message of its own; then what was said. */
function userMessages(content: readonly UserBlock[]): ChatMessage[] {
	const results = content.filter((block) => block.type === "tool_result");
	const text = textsIn(content);
	return [
		...results.map((block): ChatMessage => {
			return { role: "tool", tool_call_id: callId(block.tool_use_id), content: block.content };
		}),
		...(text === undefined ? [] : [{ role: "user" as const, content: text }]),
	];
}

function assistantMessage(content: readonly AssistantBlock[], host: Host): ChatMessage {
	const calls = content.flatMap((block): ChatCall[] =>
		block.type === "tool_use"
			? [
					{
						id: callId(block.id),
						type: "function",
						function: { name: block.name, arguments: JSON.stringify(block.input) },
					},
				]
			: [],
	);
	const text = textsIn(content) ?? null;
	if (calls.length === 0) return { role: "assistant", content: text ?? "" };
	return { role: "assistant", content: text, ...thinkingBack(content, host), tool_calls: calls };
}

/**
 * Thinking goes back only to the service that it came from, and only with the calls that followed it. A service that wants it
 * refuses calls without the field, so it may be empty.
 */
function thinkingBack(
	content: readonly AssistantBlock[],
	{ name, flags }: Host,
): Pick<ChatMessage, "reasoning_content" | "reasoning" | "reasoning_details"> {
	const own = content.flatMap((block) => thinkingOf(block, name) ?? []);
	const thinking = own.map((block) => block.thinking).join("");
	const details = jsonOf(own.find((block) => block.data !== "")?.data ?? "");
	switch (flags.thinkingBack) {
		case "none":
			return {};
		case "reasoning_content":
			return { reasoning_content: thinking };
		case "reasoning":
			return thinking === "" ? {} : { reasoning: thinking };
		case "reasoning_details":
			return Array.isArray(details) ? { reasoning_details: details } : {}; // else it is of its other protocol
	}
}

function textsIn(content: readonly (AssistantBlock | UserBlock)[]): string | undefined {
	const texts = content.flatMap((block) => (block.type === "text" ? [block.text] : []));
	return texts.length === 0 ? undefined : texts.join("\n\n");
}
