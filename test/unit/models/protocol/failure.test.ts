import { expect, test } from "vitest";
import {
	classOf,
	contextFullIn,
	type FailureClass,
	oneLine,
	type ServiceError,
	saysContextFull,
} from "../../../../src/models/protocol/failure.ts";
import { rowsOf } from "../../rows-of.ts";

const ERRORS: Readonly<Record<number, readonly ServiceError[]>> = {
	77: [{ status: 401 }, { status: 403 }, { type: "authentication_error" }, { type: "permission_error" }],
	1: [...[400, 402, 404, 413].map((status) => ({ status })), { type: "invalid_request_error" }],
	75: [...[408, 429, 500, 529].map((status) => ({ status })), { type: "overloaded_error" }, { type: "new_error" }, {}],
};

test.each(Object.keys(ERRORS).map(Number))("errors with the exit code %i", (exitCode) => {
	for (const error of ERRORS[exitCode] ?? []) {
		const mayBeOfOne = error.status === 403 || error.type === "permission_error";
		const stopsRun = mayBeOfOne ? "unless_answered" : exitCode === 77 || error.status === 402;
		expect([error, classOf(error)]).toMatchObject([error, { exitCode, mayRetry: exitCode === 75, stopsRun }]);
	}
});

const INVALID = { status: 400, type: "invalid_request_error" };

test.each([
	["Your credit balance is too low to access the Anthropic API.", { stopsRun: true, contextFull: undefined }],
	["You have reached your specified API usage limits. You will regain access on 2026-12-01.", { stopsRun: true }],
	[
		"prompt is too long: 200082 tokens > 200000 maximum",
		{ stopsRun: false, contextFull: { promptTokens: 200_082, maxTokens: 200_000 } },
	],
	[
		"input length and `max_tokens` exceed context limit: 199759 + 20000 > 200000",
		{ stopsRun: false, contextFull: { promptTokens: 199_759, maxTokens: 200_000 } },
	],
	["messages.1: thinking blocks cannot be modified", { stopsRun: false, contextFull: undefined }],
])("of an invalid request the words tell more: %s", (words, expected) => {
	const facts = ({ exitCode, mayRetry, stopsRun, contextFull }: FailureClass) => ({
		...{ exitCode, mayRetry, stopsRun, contextFull },
	});
	const told = { exitCode: 1, mayRetry: false, contextFull: undefined, ...expected };
	expect(facts(classOf({ ...INVALID, words }))).toEqual(told);
	expect(facts(classOf({ type: INVALID.type, words }))).toEqual(told);
});

test.each<[string, boolean]>([
	["messages.1.content.0: `thinking` or `redacted_thinking` blocks in the latest message cannot be modified", true],
	["Item with id 'rs_68af' not found. Items are not persisted when `store` is set to false.", true],
	["The encrypted content gAAA could not be verified.", true],
	["The `reasoning_content` in the thinking mode must be passed back to the API.", false],
	["Function call is missing a thought_signature in functionCall parts.", false],
	["thinking is enabled but reasoning_content is missing in assistant tool call message at index 2", false],
])("less thinking would help against some refusals alone: %s", (words, expected) => {
	for (const status of [400, 404]) expect(classOf({ status, words }).refusesThinking).toBe(expected);
});

test("a service that has too many calls is told from one that is broken, also within a stream", () => {
	const errors = [{ status: 429 }, { status: 529 }, { type: "overloaded_error" }, { type: "rate_limit_error" }];
	expect(errors.map((error) => classOf(error).isRateLimit)).toEqual([true, true, true, true]);
	expect([{ status: 500 }, { type: "api_error" }].map((error) => classOf(error).isRateLimit)).toEqual([false, false]);
	expect([{ status: 413 }, { type: "request_too_large" }].map((error) => classOf(error).contextFull)).toEqual([{}, {}]);
});

test("a full context is told by a gateway's status and words, too, and a broken or busy service stays one", () => {
	const words = "Input is too long for requested model.";
	const facts = ({ exitCode, mayRetry, contextFull }: FailureClass) => ({ exitCode, mayRetry, contextFull });
	for (const status of [400, 413, 422, 500, 502, undefined])
		expect([status, facts(classOf({ status, words }))]).toEqual([
			status,
			{ exitCode: 1, mayRetry: false, contextFull: {} },
		]);
	for (const error of [
		{ status: 429 },
		{ status: 529 },
		{ type: "overloaded_error" },
		{ status: 404 },
		{ status: 401 },
	])
		expect([error, classOf({ ...error, words }).contextFull]).toEqual([error, undefined]);
});

test("an invalid request without known words may have been too long", () => {
	const mayBeFull = (error: object) => classOf({ ...INVALID, ...error }).mayBeFull;
	expect(mayBeFull({ words: "Bad Request" })).toBe(true);
	const others = ["Your credit balance is too low", "prompt is too long", "thinking blocks cannot be modified"];
	expect(others.some((words) => mayBeFull({ words })) || mayBeFull({ status: 404 })).toBe(false);
});

test("whatever a service says becomes one line that is not endless and cuts no character", () => {
	expect(oneLine(" <html>\r\n\t<b>502\u001b[31m</b>\u0000 ")).toBe("<html> <b>502 [31m</b>");
	expect(oneLine("a\u202ecba\u2066 b")).toBe("a cba b");
	const long = oneLine(`${"🙂".repeat(50_000)}THE END`);
	expect([long.isWellFormed(), long.length < 66_000, long.endsWith("🙂THE END")]).toEqual([true, true, true]);
});

/** With the tokens of the prompt and of the context, where they are told. */
test.each(
	rowsOf(`
	prompt is too long: 212000 tokens > 200000 maximum | 212000 200000
	input length and \`max_tokens\` exceed context limit: 199759 + 20000 > 200000 | 199759 200000
	Input is too long for requested model.
	The model returned the following errors: Input is too long for requested model.
	Too many input tokens
	Malformed input request: expected maxLength: 200000, actual: 250000, please reformat your input and try again.
	The input token count (1200000) exceeds the maximum number of tokens allowed (1048576). | 1200000 1048576
	This model's maximum context length is 128000 tokens. However, your messages resulted in 130500 tokens. | 130500 128000
	This endpoint's maximum context length is 200000 tokens. However, you requested about 210012 tokens (202012 of text input, 8000 in the output). | 210012 200000
	litellm.ContextWindowExceededError: litellm.BadRequestError: AnthropicException
	Your input exceeds the context window of this model. Please adjust your input and try again.
	the request exceeds the available context size. try increasing the context size
	Please reduce the length of the messages or completion.
	prompt token count of 140000 exceeds the limit of 128000 | 140000 128000
	This model's maximum prompt length is 131072 but the request contains 537812 tokens. | 537812 131072
	Invalid request: Your request exceeded model token limit: 262144
	\`inputs\` must have less than 4095 tokens. Given: 5000
	Prompt exceeds max length
	Range of input length should be [1, 129024]
	The provided prompt is 9000 tokens long, so generating 1 tokens requires a sequence length of 9001, but the maximum supported sequence length is just 8192!
	prompt too long; exceeded max context length by 512 tokens
	the input length exceeds the context length
	{"error":{"message":"request (26528 tokens) exceeds the available context size (16384 tokens), try increasing it"}} | 26528 16384
	prompt is longer than the context, and context shift is disabled
	failed to find a KV cache slot for the batch
	\`inputs\` tokens + \`max_new_tokens\` must be <= 8193. Given: 8000 \`inputs\` tokens and 1000 \`max_new_tokens\``),
)("a full context is known by: %s", (words = "", sizes) => {
	const [promptTokens, maxTokens] = sizes?.split(" ").map(Number) ?? [];
	expect(saysContextFull({ words })).toBe(true);
	expect(contextFullIn(words)).toEqual(sizes === undefined ? {} : { promptTokens, maxTokens });
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
