/** The body of a request to the Messages API. */
import type { Effort, Message, ModelRequest, Tool } from "../core/model.ts";
import { factsOf, maxAnswerTokensOf } from "./prices.ts";

export interface MessageParams {
	model: string;
	max_tokens: number;
	system: string;
	tools: Tool[];
	messages: Message[];
	stream: true;
	/** At the top it marks the last block that can be cached, by itself. */
	cache_control: { type: "ephemeral" };
	thinking?: { type: "adaptive"; display: "summarized" };
	output_config?: { effort: Effort };
	tool_choice?: { type: "none" };
}

/**
 * System and tools are the same in all turns of an agent, else its cache is lost: so a call that may use no tool has
 * them too and says so in `tool_choice`. Nothing that newer models refuse (temperature, top_p, top_k, an answer begun)
 * is sent. Without `display: "summarized"` newer models' words between tool calls would be hidden.
 */
export function messageParams(model: string, request: ModelRequest): MessageParams {
	return {
		model,
		max_tokens: Math.min(maxAnswerTokensOf(model), request.maxTokens ?? Number.POSITIVE_INFINITY),
		system: request.system,
		tools: request.tools,
		messages: request.messages,
		stream: true,
		cache_control: { type: "ephemeral" },
		...(thinksAdaptively(model) && { thinking: { type: "adaptive", display: "summarized" } }),
		...(request.effort && { output_config: { effort: request.effort } }),
		...(!request.mayUseTools && { tool_choice: { type: "none" } }),
	};
}

/** A model that the table does not know is taken for a new one, unless its name is of the generations before 4.6. */
function thinksAdaptively(model: string): boolean {
	return factsOf(model)?.isThinkingAdaptive ?? !/claude-(?:[23]|instant|(?:opus|sonnet|haiku)-4(?!-[6-9]))/.test(model);
}
