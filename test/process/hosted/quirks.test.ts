/** What a service's refusals teach of the way in which it is asked, and several keys of one service, on the wire. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type { Message } from "../../../src/core/model/message.ts";
import { SAID_BEHIND } from "../../../src/core/model/message-marks.ts";
import type { ModelOutcome } from "../../../src/core/model/model.ts";
import { afterCommand, asksWith, FIRST, fakeCall } from "../../fixtures/fake-call.ts";
import { type ChatAnswer, type ChatBody, type ChatRequest, chatSays } from "../../fixtures/fake-chat-api.ts";
import { type Hosted, openHostedWithApi } from "../../fixtures/hosted-with-api.ts";

const refusal = (message: string, status = 400): ChatAnswer => ({
	status,
	json: { error: { message, type: "invalid_request_error" } },
});
const AGAIN = { is: "failure", exitCode: 75, retry: { isRateLimit: false, afterMs: 0 } };

/** Asks until there is something else than a failure that may be tried again at once. */
async function askUntilDone(answer: (request: ChatRequest, n: number) => ChatAnswer, given: Hosted = {}, request = {}) {
	const { api, model } = await openHostedWithApi(answer, given);
	const reasons: string[] = [];
	let outcome: ModelOutcome;
	for (;;) {
		outcome = await model.ask(asksWith(FIRST, request), fakeCall());
		if (outcome.is === "reply" || outcome.retry?.afterMs !== 0) break;
		reasons.push(outcome.reason.replace(/.*; /s, ""));
	}
	return { api, reasons, outcome };
}

test.each<[string, (body: ChatBody) => boolean, string, Hosted, object]>([
	["stream_options", (body) => body.stream_options !== undefined, "retried without stream_options", {}, {}],
	["max_tokens", (body) => body.max_tokens !== undefined, "retried with max_completion_tokens", {}, { maxTokens: 500 }],
	[
		"max_completion_tokens",
		(body) => body.max_completion_tokens !== undefined,
		"retried with max_tokens",
		{ name: "groq/x" },
		{ maxTokens: 500 },
	],
	[
		"developer",
		(body) => body.messages[0]?.role === "developer",
		"retried with the role system",
		{ name: "openai/x" },
		{},
	],
	[
		"reasoning_effort",
		(body) => body.reasoning_effort !== undefined,
		"retried without an effort",
		{},
		{ effort: "low" },
	],
	["tool_choice", (body) => body.tool_choice !== undefined, "retried without tool_choice", {}, { mayUseTools: false }],
])("a service that does not take %s is asked without it, from then on", async (name, has, reason, given, request) => {
	const words =
		name === "max_tokens"
			? "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
			: `Unsupported parameter: '${name}'`;
	const { api, reasons, outcome } = await askUntilDone(
		({ body }) => (has(body) ? refusal(words) : chatSays("ok")),
		given,
		request,
	);
	expect(outcome).toMatchObject({ is: "reply" });
	expect(reasons).toEqual([reason]);
	expect(api.requests.map(({ body }) => has(body))).toEqual([true, false]);
});

const TEMPLATE =
	"After the optional system message, conversation roles must alternate user/assistant/user/assistant/...";
const JINJA = `\n------------\nWhile executing CallExpression at line 189, column 32 in source:\n...== 0) %}↵ {{- raise_exc...\nError: Jinja Exception: ${TEMPLATE}`;
const FORMS: [string, ChatAnswer][] = [
	["vLLM", { status: 400, json: { object: "error", message: TEMPLATE, type: "BadRequestError", code: 400 } }],
	["llama.cpp", { status: 500, json: { error: { code: 500, message: JINJA, type: "server_error" } } }],
	["Mistral", { status: 400, json: { message: "Unexpected role 'user' after role 'tool'", code: "3230" } }],
];

/** Results and what is said behind them, as the agent gives them. */
const TOLD: Message[] = afterCommand("out\n").map((message, n) =>
	n < 2 ? message : ({ ...message, content: [...message.content, { type: "text", text: "and this" }] } as Message),
);

// Seen to fail: the error with 500 was retried with at most ten minutes, the others were failures.
test.each(FORMS)("a template that wants alternating roles gets text in the last result, from %s", async (_, form) => {
	const { api, reasons, outcome } = await askUntilDone(
		({ body }) => (body.messages.some(({ role }, n) => role === "user" && n > 1) ? form : chatSays("ok")),
		{},
		{ messages: TOLD },
	);
	expect(outcome).toMatchObject({ is: "reply" });
	expect(reasons).toEqual(["retried with text in the last result"]);
	const after = api.requests.at(-1)?.body.messages.slice(3);
	expect(after).toEqual([{ role: "tool", tool_call_id: "a", content: `out\n\n\n${SAID_BEHIND}\n\nand this` }]);
});

test.each([
	"Tool call IDs should be alphanumeric strings with length 9!",
	"Tool call id was toolu_1 but must be a-z, A-Z, 0-9, with a length of 9.",
])("a template that wants short ids of calls gets them, the same in a call and its result: %s", async (words) => {
	const isShort = (id = "") => /^[a-z0-9]{9}$/i.test(id);
	const { api, reasons, outcome } = await askUntilDone(
		({ body }) => (isShort(body.messages[2]?.tool_calls?.[0]?.id) ? chatSays("ok") : refusal(words)),
		{},
		{ messages: afterCommand("out\n") },
	);
	expect(outcome).toMatchObject({ is: "reply" });
	expect(reasons).toEqual(["retried with ids of nine letters and digits"]);
	const [, , call, result] = api.requests.at(-1)?.body.messages ?? [];
	expect(result?.tool_call_id).toBe(call?.tool_calls?.[0]?.id);
});

test("a template that takes no system prompt gets it in the first message, and its error is final when it stays", async () => {
	for (const words of [
		"System role not supported",
		"Only user and assistant roles are supported!",
		"System messages are not supported by this template.",
	]) {
		const noSystem = await askUntilDone(({ body }) =>
			body.messages[0]?.role === "user" ? chatSays("ok") : refusal(words, 500),
		);
		expect(noSystem.reasons).toEqual(["retried with the system prompt in the first message"]);
		expect(noSystem.api.requests.at(-1)?.body.messages).toEqual([
			{ role: "user", content: "You are an agent.\n\nthe task" },
		]);
	}
	for (const [, form] of FORMS) {
		const { api, outcome } = await askUntilDone(() => form);
		expect(outcome).toMatchObject({ is: "failure", exitCode: 1, reason: expect.stringMatching(/role/) });
		expect(outcome).not.toHaveProperty("retry");
		expect(outcome).not.toHaveProperty("mayBeFull");
		expect(api.requests.length).toBe(3);
	}
});

// Seen to fail: an error in a list had no words.
test("a service that finds no signature in a call of another model gets the placeholder, from then on", async () => {
	const message = "Function call is missing a thought_signature in functionCall parts. Additional data, position 2.";
	const json = [{ error: { code: 400, message, status: "INVALID_ARGUMENT" } }];
	const { reasons, outcome } = await askUntilDone(
		({ body }) => (body.messages[2]?.tool_calls?.[0]?.extra_content ? chatSays("ok") : { status: 400, json }),
		{},
		{ messages: afterCommand("out\n") },
	);
	expect(outcome).toMatchObject({ is: "reply" });
	expect(reasons).toEqual(["retried with a placeholder for the signatures of calls of other models"]);
});

// Seen to fail: the name of the field stands beside the words, in what FastAPI says of a request.
test("a service whose refusal is a list of fields is understood, too", async () => {
	const json = {
		detail: [{ type: "extra_forbidden", loc: ["body", "stream_options"], msg: "Extra inputs are not permitted" }],
	};
	const { reasons, outcome } = await askUntilDone(({ body }) =>
		body.stream_options === undefined ? chatSays("ok") : { status: 422, json },
	);
	expect(outcome).toMatchObject({ is: "reply" });
	expect(reasons).toEqual(["retried without stream_options"]);
});

// Seen to fail: the second of two calls learned nothing new, and was a failure for good, or learned the way back.
test.each<["stream_options" | "max_tokens", string]>([
	["stream_options", "Unsupported parameter: 'stream_options'"],
	["max_tokens", "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead."],
])("calls side by side all learn that a service does not take %s", async (name, words) => {
	const { model } = await openHostedWithApi(({ body }) => (body[name] === undefined ? chatSays("ok") : refusal(words)));
	const ask = () => model.ask(asksWith(FIRST, { maxTokens: 500 }), fakeCall());
	expect(await Promise.all([ask(), ask()])).toMatchObject([AGAIN, AGAIN]);
	expect(await ask()).toMatchObject({ is: "reply" });
});

test.each([
	[
		"max_tokens is too large: 32000. This model supports at most 16384 completion tokens, whereas you provided 32000.",
		16_384,
	],
	["Invalid max_tokens value, the valid range of max_tokens is [1, 8192]", 8192],
	["`max_tokens` must be less than or equal to `8192`", 8192],
	[
		"This model's maximum context length is 32768 tokens. However, you requested 33000 tokens (1000 in the messages, 32000 in the completion).",
		15_884,
	],
	[
		"'max_tokens' is too large: 32000. This model's maximum context length is 32768 tokens and your request has 1000 input tokens",
		15_884,
	],
])("an answer is asked to be as long as the service says: %s", async (words, most) => {
	const { api, outcome } = await askUntilDone(
		({ body }) => (Number(body.max_tokens) > most ? refusal(words) : chatSays("ok")),
		{},
		{ maxTokens: 32_000 },
	);
	expect(outcome).toMatchObject({ is: "reply" });
	expect(api.requests.map(({ body }) => body.max_tokens)).toEqual([32_000, most]);
});

test("a refusal that stays is a failure, and none is asked about twice", async () => {
	const { api, outcome } = await askUntilDone(() => refusal("Unsupported parameter: 'stream_options'"));
	expect(outcome).toMatchObject({ is: "failure", exitCode: 1 });
	expect(api.requests.length).toBe(2);
});

const TWO_KEYS: Hosted = {
	keyVariables: ["LAB_KEY", "LAB_KEY_2"],
	credentials: { LAB_KEY: "key-number-one", LAB_KEY_2: "key-number-two" },
};
const keyOf = ({ headers }: ChatRequest) => headers.authorization?.replace("Bearer key-number-", "");

test.each<[string, ChatAnswer]>([
	["refused", { status: 401, json: { error: { message: "no such key" } } }],
	["without credit", { status: 402, json: { error: { message: "no credit" } } }],
	["used up for now", { status: 429, json: { error: { message: "slow down" } }, headers: { "retry-after": "60" } }],
])("a key that is %s makes room for the next one, and the run goes on", async (_, answer) => {
	const { api, model } = await openHostedWithApi(
		(request) => (keyOf(request) === "one" ? answer : chatSays("ok")),
		TWO_KEYS,
	);
	const first = await model.ask(asksWith(FIRST), fakeCall());
	expect(first).toMatchObject({ ...AGAIN, reason: expect.stringMatching(/; continuing with LAB_KEY_2$/) });
	expect(first).not.toHaveProperty("stopsRun");
	for (let n = 0; n < 2; n++) expect(await model.ask(asksWith(FIRST), fakeCall())).toMatchObject({ is: "reply" });
	expect(api.requests.map(keyOf)).toEqual(["one", "two", "two"]);
});

test("when no key is left the failure is what it would be with one", async () => {
	const { outcome, reasons } = await askUntilDone(
		() => ({ status: 401, json: { error: { message: "no" } } }),
		TWO_KEYS,
	);
	expect(reasons).toEqual(["continuing with LAB_KEY_2"]);
	expect(outcome).toMatchObject({ exitCode: 77, stopsRun: true, reason: expect.stringContaining("check LAB_KEY_2") });
});

// Seen to fail (the key arrives) with the fetch of Node, which follows redirects.
test("a key goes to no other address than the one that it was given with", async () => {
	const got: unknown[] = [];
	const other = createServer((request, response) => {
		got.push(request.headers.authorization);
		response.end();
	});
	await new Promise<void>((listening) => other.listen(0, "127.0.0.1", listening));
	onTestFinished(() => void other.close());
	const location = `http://127.0.0.1:${(other.address() as AddressInfo).port}/v1/chat/completions`;
	for (const status of [301, 302, 307, 308]) {
		const { outcome } = await askUntilDone(() => ({ status, text: "", headers: { location } }));
		expect(outcome).toMatchObject({ exitCode: 1, reason: expect.stringContaining("set providers.lab.base_url to it") });
	}
	expect(got).toEqual([]);
});
