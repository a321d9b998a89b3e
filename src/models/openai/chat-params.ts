/** The body of a request to /chat/completions. */
import type { Effort } from "../../core/effort.ts";
import type { ModelRequest } from "../../core/model.ts";
import { type ChatMessage, chatMessages } from "./chat-messages.ts";
import { type Host, serviceName } from "./host.ts";

export interface ChatParams {
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
