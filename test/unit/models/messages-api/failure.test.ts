import { expect, test } from "vitest";
import { classOf, type FailureClass, oneLine, type ServiceError } from "../../../../src/models/messages-api/failure.ts";

test.each<[ServiceError, number]>([
	[{ status: 401 }, 77],
	[{ status: 403 }, 77],
	[{ type: "authentication_error" }, 77],
	[{ type: "permission_error" }, 77],
	[{ status: 400, type: "invalid_request_error" }, 1],
	[{ status: 402 }, 1],
	[{ status: 404 }, 1],
	[{ status: 413 }, 1],
	[{ type: "invalid_request_error" }, 1],
	[{ status: 408 }, 75],
	[{ status: 429 }, 75],
	[{ status: 500 }, 75],
	[{ status: 529 }, 75],
	[{ type: "overloaded_error" }, 75],
	[{ type: "never_heard_of_error" }, 75],
	[{}, 75],
])("%j has the exit code %i", (error, exitCode) => {
	expect(classOf(error)).toMatchObject({
		exitCode,
		mayRetry: exitCode === 75,
		stopsRun:
			error.status === 403 || error.type === "permission_error"
				? "unless_answered"
				: exitCode === 77 || error.status === 402,
	});
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
	expect([...others.map((words) => mayBeFull({ words })), mayBeFull({ status: 404 })]).toEqual([
		false,
		false,
		false,
		false,
	]);
});

test("thinking that the service refuses is told by the words of an invalid request alone", () => {
	const words = "messages.1.content.0: Invalid `signature` in `thinking` block";
	expect(
		[{ ...INVALID, words }, { status: 500, words }, INVALID].map((error) => classOf(error).refusesThinking),
	).toEqual([true, false, false]);
});

test("whatever a service says becomes one line that is not endless and cuts no character", () => {
	expect(oneLine(" <html>\r\n\t<b>502\u001b[31m</b>\u0000 ")).toBe("<html> <b>502 [31m</b>");
	expect(oneLine("a\u202ecba\u2066 b")).toBe("a cba b");
	const long = oneLine(`${"🙂".repeat(50_000)}THE END`);
	expect([long.isWellFormed(), long.length < 66_000, long.endsWith("🙂THE END")]).toEqual([true, true, true]);
});
