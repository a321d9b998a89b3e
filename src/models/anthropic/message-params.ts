/** The body of a request to the Messages API. */
import type { Effort } from "../../core/effort.ts";
import type { AssistantBlock, Message, Tool, UserBlock } from "../../core/model/message.ts";
import type { ModelRequest } from "../../core/model/model.ts";
import { isMarked } from "../provider/marked-thinking.ts";
import { factsOfClaude, thinksAdaptively, withoutContext } from "./model-table.ts";

/** Marks a block up to which the service caches the prompt. */
interface Mark {
	type: "ephemeral";
}

interface SentMessage {
	role: Message["role"];
	content: ((UserBlock | AssistantBlock) & { cache_control?: Mark })[];
}

interface MessageParams {
	model: string;
	max_tokens: number;
	system: string;
	tools: readonly Tool[];
	messages: SentMessage[];
	stream: true;
	/** At the top of a request it stands for a mark at the last block that can be cached. */
	cache_control: Mark;
	thinking?: { type: "adaptive"; display: "summarized" };
	output_config?: { effort: Effort };
	tool_choice?: { type: "none" };
}

const MARK: Mark = { type: "ephemeral" };

/**
 * System and tools are the same in all turns of an agent, else its cache is lost: a call that may use no tool sends them,
 * too, and forbids them by `tool_choice`. Nothing is sent that newer models refuse (temperature, top_p, top_k, the
 * beginning of an answer). Without `display: "summarized"` newer models hide their words between tool calls.
 */
export function messageParams(model: string, request: ModelRequest): MessageParams {
	return {
		model: withoutContext(model),
		max_tokens: Math.min(factsOfClaude(model).maxAnswerTokens, request.maxTokens ?? Number.POSITIVE_INFINITY),
		system: request.system,
		tools: request.tools,
		messages: withinReach(request.messages.map(withoutForeignThinking)),
		stream: true,
		cache_control: MARK,
		...(thinksAdaptively(model) && { thinking: { type: "adaptive", display: "summarized" } }),
		...(request.effort && { output_config: { effort: request.effort } }),
		...(!request.mayUseTools && { tool_choice: { type: "none" } }),
	};
}

/** Thinking of another service would be refused. */
function withoutForeignThinking(message: Message): Message {
	if (message.role === "user" || !message.content.some(isMarked)) return message;
	return { role: "assistant", content: message.content.filter((block) => !isMarked(block)) };
}

/**
 * From a mark the service looks back over twenty blocks, the marked one included, for a prompt that it has cached. A round
 * of more blocks would hide the end of the request before it, where the last mark was, so that block is marked again. This
 * follows from the messages alone: the same messages give the same request to the byte.
 */
const LOOK_BACK_BLOCKS = 20;
const MARGIN_BLOCKS = 2; // in case the service counts blocks in another way

function withinReach(messages: readonly Message[]): SentMessage[] {
	const before = messages.length - 3; // the last message of the request before this one
	const round = messages.slice(-2).reduce((sum, { content }) => sum + content.length, 0);
	if (round < LOOK_BACK_BLOCKS - MARGIN_BLOCKS) return [...messages];
	return messages.map((message, at) => (at === before && message.role === "user" ? markedAtEnd(message) : message));
}

function markedAtEnd({ role, content }: Message): SentMessage {
	return {
		role,
		content: content.map((block, n) => (n === content.length - 1 ? { ...block, cache_control: MARK } : block)),
	};
}
