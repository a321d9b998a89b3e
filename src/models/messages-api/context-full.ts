/** How services and gateways say that a prompt is longer than the model's context. */
import type { ContextFull } from "../../core/model.ts";

/** Types and codes of errors that mean nothing else. */
const TYPES =
	/^(context_length_exceeded|context_window_exceeded|ContextWindowExceededError|exceed_context_size_error|model_max_prompt_tokens_exceeded|request_too_large)$/;

/** Each row: whose words they are, and what all of them have in common. */
const WORDS: readonly RegExp[] = [
	/(?:prompt|input|request|conversation|messages?)\b[^.]{0,40}\b(?:is|are) too (?:long|large)\b(?! to)/i, // Anthropic, Bedrock: "Input is too long for requested model"
	/exceeds? (?:the )?(?:model'?s? )?(?:maximum )?(?:allowed )?(?:available )?context/i, // Anthropic; llama.cpp: "the available context size"
	/context[ _-]?(?:window|length|limit|size)/i, // Anthropic, OpenAI, OpenRouter, vLLM, LiteLLM: "maximum context length is"
	/input token count\b.{0,40}\bexceeds? the maximum/i, // Vertex
	/(?:maximum|max) (?:prompt|input) (?:length|tokens?|size)|too many (?:input |prompt )?tokens(?! per)/i, // xAI, Cohere, Bedrock
	/prompt (?:token count|contains)\b.{0,60}\b(?:exceeds|too large)|exceeded model token limit/i, // Copilot, Mistral, Moonshot
	/reduce the length of (?:the|your) (?:messages|prompt|input)|expected maxLength: \d+, actual/i, // OpenAI, Groq; Bedrock
	/tokens? \+ `?max_(?:new_)?tokens`? must be|`?inputs?`? must have less than \d+ tokens/i, // Together; TGI
	/\bnum_ctx\b|context shift|(?:longer|larger) than the (?:model'?s? )?context|\bcontext (?:is )?full\b|\bKV (?:cache )?(?:slot|is full)|space in the KV cache/i, // Ollama, llama.cpp
	/(?:prompt|input) exceeds max length|range of input length should be|maximum supported sequence length/i, // Zhipu; Qwen; SambaNova
];

/** What an error about the length of the answer says, and nothing about the prompt. */
const OF_ANSWER = /maximum allowed number of output tokens/i;

export function saysContextFull({ type = "", words = "" }: { type?: string; words?: string }): boolean {
	return TYPES.test(type) || (!OF_ANSWER.test(words) && WORDS.some((pattern) => pattern.test(words)));
}

/** `prompt is too long: 212000 tokens > 200000 maximum`, `input length … exceed context limit: 199759 + 20000 > 200000` */
const COMPARED = /(\d{4,})(?: \+ \d+)?(?: tokens)? > (\d{4,})/;
/** `maximum context length is 128000 tokens. However, … resulted in 130500 tokens`: the limit first */
const LIMIT_FIRST = /(?:maximum|limit|up to)\D{0,40}(\d{4,})\D{1,80}?(\d{4,})/i;
/** `The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)` */
const ASKED_FIRST = /(\d{4,})\D{1,60}(?:exceeds?|too large|larger)\D{1,60}?(\d{4,})/i;

/** The sizes that the words name; empty when they name none. */
export function contextFullIn(words: string): ContextFull {
	const [, asked, most] = COMPARED.exec(words) ?? ASKED_FIRST.exec(words) ?? [];
	const [, limit, given] = asked === undefined ? (LIMIT_FIRST.exec(words) ?? []) : [];
	const promptTokens = Number(asked ?? given);
	const maxTokens = Number(most ?? limit);
	return promptTokens > maxTokens || COMPARED.test(words) ? { promptTokens, maxTokens } : {};
}
