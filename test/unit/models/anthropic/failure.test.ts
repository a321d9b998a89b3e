import { expect, test } from "vitest";
import { classOf, oneLine } from "../../../../src/models/anthropic/failure.ts";

test.each([
	[{ status: 401 }, 77],
	[{ status: 403 }, 77],
	[{ type: "authentication_error" }, 77],
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
		stopsRun: exitCode === 77 || ("status" in error && error.status === 402),
	});
});

const INVALID = { status: 400, type: "invalid_request_error" };

test.each([
	["Your credit balance is too low to access the Anthropic API.", { stopsRun: true, isContextFull: false }],
	["You have reached your specified API usage limits. You will regain access on 2026-12-01.", { stopsRun: true }],
	["prompt is too long: 200082 tokens > 200000 maximum", { stopsRun: false, isContextFull: true }],
	[
		"input length and `max_tokens` exceed context limit: 199759 + 20000 > 200000",
		{ stopsRun: false, isContextFull: true },
	],
	["messages.1: thinking blocks cannot be modified", { stopsRun: false, isContextFull: false }],
])("of an invalid request the words tell more: %s", (words, expected) => {
	expect(classOf({ ...INVALID, words })).toMatchObject({ exitCode: 1, mayRetry: false, ...expected });
	expect(classOf({ type: INVALID.type, words })).toMatchObject(expected);
});

test("a service that has too many calls is told from one that is broken, also within a stream", () => {
	const errors = [{ status: 429 }, { status: 529 }, { type: "overloaded_error" }, { type: "rate_limit_error" }];
	expect(errors.map((error) => classOf(error).isRateLimit)).toEqual([true, true, true, true]);
	expect([{ status: 500 }, { type: "api_error" }].map((error) => classOf(error).isRateLimit)).toEqual([false, false]);
	expect([{ status: 413 }, { type: "request_too_large" }].map((error) => classOf(error).isContextFull)).toEqual([
		true,
		true,
	]);
});

test("whatever a service says becomes one line that is not endless and cuts no character", () => {
	expect(oneLine(" <html>\r\n\t<b>502\u001b[31m</b>\u0000 ")).toBe("<html> <b>502 [31m</b>");
	expect(oneLine("🙂".repeat(600))).toBe(`${"🙂".repeat(500)} …`);
});
