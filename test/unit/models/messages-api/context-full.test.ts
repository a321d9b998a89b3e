import { expect, test } from "vitest";
import { contextFullIn, saysContextFull } from "../../../../src/models/messages-api/failure.ts";

test.each([
	["prompt is too long: 212000 tokens > 200000 maximum", { promptTokens: 212_000, maxTokens: 200_000 }],
	[
		"input length and `max_tokens` exceed context limit: 199759 + 20000 > 200000",
		{ promptTokens: 199_759, maxTokens: 200_000 },
	],
	["Input is too long for requested model.", {}],
	["The model returned the following errors: Input is too long for requested model.", {}],
	["Too many input tokens", {}],
	[
		"Malformed input request: expected maxLength: 200000, actual: 250000, please reformat your input and try again.",
		{},
	],
	[
		"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
		{ promptTokens: 1_200_000, maxTokens: 1_048_576 },
	],
	[
		"This model's maximum context length is 128000 tokens. However, your messages resulted in 130500 tokens.",
		{ promptTokens: 130_500, maxTokens: 128_000 },
	],
	[
		"This endpoint's maximum context length is 200000 tokens. However, you requested about 210012 tokens (202012 of text input, 8000 in the output).",
		{ promptTokens: 210_012, maxTokens: 200_000 },
	],
	["litellm.ContextWindowExceededError: litellm.BadRequestError: AnthropicException", {}],
	["Your input exceeds the context window of this model. Please adjust your input and try again.", {}],
	["the request exceeds the available context size. try increasing the context size", {}],
	["Please reduce the length of the messages or completion.", {}],
	["prompt token count of 140000 exceeds the limit of 128000", { promptTokens: 140_000, maxTokens: 128_000 }],
	[
		"This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
		{ promptTokens: 537_812, maxTokens: 131_072 },
	],
	["Invalid request: Your request exceeded model token limit: 262144", {}],
	["`inputs` must have less than 4095 tokens. Given: 5000", {}],
	["Prompt exceeds max length", {}],
	["Range of input length should be [1, 129024]", {}],
	[
		"The provided prompt is 9000 tokens long, so generating 1 tokens requires a sequence length of 9001, but the maximum supported sequence length is just 8192!",
		{},
	],
	["prompt too long; exceeded max context length by 512 tokens", {}],
	["the input length exceeds the context length", {}],
	[
		'{"error":{"code":400,"message":"request (26528 tokens) exceeds the available context size (16384 tokens), try increasing it"}}',
		{ promptTokens: 26_528, maxTokens: 16_384 },
	],
	["prompt is longer than the context, and context shift is disabled", {}],
	["failed to find a KV cache slot for the batch", {}],
	["`inputs` tokens + `max_new_tokens` must be <= 8193. Given: 8000 `inputs` tokens and 1000 `max_new_tokens`", {}],
])("a full context is known by: %s", (words, sizes) => {
	expect([saysContextFull({ words }), contextFullIn(words)]).toEqual([true, sizes]);
});

test.each(["context_length_exceeded", "request_too_large", "exceed_context_size_error"])(
	"a full context is known by the type %s",
	(type) => {
		expect(saysContextFull({ type })).toBe(true);
	},
);

test.each([
	"max_tokens: 200000 > 128000, which is the maximum allowed number of output tokens for this model",
	"context deadline exceeded",
	"messages.1: thinking blocks cannot be modified",
	"too many tokens per minute",
	"temperature: unknown field",
	"",
])("other words are about something else: %s", (words) => {
	expect(saysContextFull({ words })).toBe(false);
});
