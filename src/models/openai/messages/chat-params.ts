/** The body of a request to /chat/completions, from a request in the shape of the Messages API. The same history gives the same messages. */
import { defined } from "../../../core/defined.ts";
import type { Effort } from "../../../core/effort.ts";
import { type AssistantBlock, callsIn, type UserBlock } from "../../../core/model/message.ts";
import { SAID_BEHIND } from "../../../core/model/message-marks.ts";
import type { ModelRequest } from "../../../core/model/model.ts";
import { jsonOf } from "../../protocol/service-words.ts";
import { thinkingOf } from "../../provider/marked-thinking.ts";
import { type Host, serviceName } from "../host.ts";
import { callId, type Extra, extrasOf, OF_OTHER_MODEL } from "./tool-calls.ts";

interface ChatParams {
	model: string;
	messages: ChatMessage[];
	tools: { type: "function"; function: { name: string; description: string; parameters: object } }[];
	stream: true;
	stream_options?: { include_usage: true };
	max_tokens?: number;
	max_completion_tokens?: number;
	tool_choice?: "none";
	reasoning_effort?: Effort;
	reasoning?: { effort: Effort };
}

/** `maxTokens`: the bound of the answer; undefined leaves it to the service. */
export function chatParams(
	name: string,
	request: ModelRequest,
	{ host, maxTokens }: { host: Host; maxTokens: number | undefined },
): ChatParams {
	const { flags } = host;
	const { tools, mayUseTools, effort } = request;
	const model = serviceName(name);
	return {
		model,
		messages: chatMessages(request, { model, host }),
		tools: tools.map((tool) => ({
			type: "function",
			function: { name: tool.name, description: tool.description, parameters: tool.input_schema },
		})),
		stream: true,
		...(flags.streamUsage && { stream_options: { include_usage: true } }),
		...(maxTokens !== undefined && { [flags.maxTokens]: maxTokens }),
		...(!mayUseTools && flags.toolChoice && { tool_choice: "none" }),
		...effortParams(flags.effort, effort),
	};
}

function effortParams(
	field: Host["flags"]["effort"],
	effort: Effort | undefined,
): Pick<ChatParams, "reasoning_effort" | "reasoning"> {
	if (effort === undefined) return {};
	switch (field) {
		case "none":
			return {};
		case "reasoning_effort":
			return { reasoning_effort: effort };
		case "reasoning":
			return { reasoning: { effort } };
	}
}

interface ChatMessage {
	readonly role: "system" | "developer" | "user" | "assistant" | "tool";
	readonly content: string | null;
	readonly tool_calls?: readonly ChatCall[];
	readonly tool_call_id?: string;
	readonly reasoning_content?: string;
	readonly reasoning?: string;
	readonly reasoning_details?: unknown;
	readonly extra_content?: Extra;
}

interface ChatCall {
	readonly id: string;
	readonly type: "function";
	readonly function: { readonly name: string; readonly arguments: string };
	readonly extra_content?: Extra;
}

/** `model`: by the service's name. */
function chatMessages(
	{ system, messages }: Pick<ModelRequest, "system" | "messages">,
	{ model, host }: { model: string; host: Host },
): ChatMessage[] {
	const { systemRole } = host.flags;
	const said = messages.flatMap(({ role, content }) =>
		role === "user"
			? userMessages(content as UserBlock[], host)
			: [assistantMessage(content as AssistantBlock[], { model, host })],
	);
	if (systemRole !== "user") return [{ role: systemRole, content: system }, ...said];
	const [first, ...rest] = said;
	return [{ role: "user", content: joined(system, first?.content) }, ...rest];
}

/** Results come right after their calls, each a message of its own; then what was said. */
function userMessages(content: readonly UserBlock[], { flags }: Host): ChatMessage[] {
	const results = content
		.filter((block) => block.type === "tool_result")
		.map(
			(block): ChatMessage => ({
				role: "tool",
				tool_call_id: callId(block.tool_use_id, flags.shortCallIds),
				content: block.content,
			}),
		);
	const text = textsIn(content);
	const last = results.at(-1);
	if (text === undefined) return results;
	if (last === undefined || flags.textAfterResults) return [...results, { role: "user", content: text }];
	return [...results.slice(0, -1), { ...last, content: joined(last.content, SAID_BEHIND, text) }];
}

function assistantMessage(
	content: readonly AssistantBlock[],
	{ model, host }: { model: string; host: Host },
): ChatMessage {
	const extras = extrasOf(content, { service: host.name, model });
	const isSigned = extras?.calls.some((extra) => extra !== null) === true; // the first of several calls alone may be
	const ofOther = host.flags.callSignatures && !isSigned ? OF_OTHER_MODEL : undefined;
	const calls = callsIn(content).map((block, n): ChatCall => {
		const called = { name: block.name, arguments: JSON.stringify(block.input) };
		const extra_content = extras?.calls[n] ?? ofOther;
		return {
			id: callId(block.id, host.flags.shortCallIds),
			type: "function",
			function: called,
			...defined({ extra_content }),
		};
	});
	const text = textsIn(content) ?? null;
	const back = { ...thinkingBack(content, host), ...defined({ extra_content: extras?.message }) };
	if (calls.length === 0) return { role: "assistant", content: text ?? "", ...back };
	return { role: "assistant", content: text, ...back, tool_calls: calls };
}

/** For an answer without thinking, as another service gives it. It is not empty, since some models refuse that, too. */
const NO_THINKING = " ";

/**
 * Thinking goes back only to the service that it came from, with the answer that followed it, calls or not. A service that asks for
 * `reasoning_content` refuses each answer without the field.
 */
function thinkingBack(
	content: readonly AssistantBlock[],
	{ name, flags }: Host,
): Pick<ChatMessage, "reasoning_content" | "reasoning" | "reasoning_details"> {
	const own = content.flatMap((block) => thinkingOf(block, name) ?? []);
	const thinking = own.map((block) => block.thinking).join("");
	const data = jsonOf(own.find((block) => block.data !== "")?.data ?? "");
	const details = Array.isArray(data) ? data : Object(data).details;
	switch (flags.thinkingBack) {
		case "none":
			return {};
		case "reasoning_content":
			return { reasoning_content: thinking || NO_THINKING };
		case "reasoning":
			return thinking === "" ? {} : { reasoning: thinking };
		case "reasoning_details":
			return Array.isArray(details) ? { reasoning_details: details } : {}; // else it is of its other protocol
	}
}

function joined(...texts: (string | null | undefined)[]): string {
	return texts.filter(Boolean).join("\n\n");
}

function textsIn(content: readonly (AssistantBlock | UserBlock)[]): string | undefined {
	const texts = content.flatMap((block) => (block.type === "text" ? [block.text] : []));
	return texts.length === 0 ? undefined : texts.join("\n\n");
}
