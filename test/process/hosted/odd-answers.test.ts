/** Answers as services with the protocol of OpenAI really give them, on the wire. */
import { expect, test } from "vitest";
import type { ModelFailure, ModelReply } from "../../../src/core/model/model.ts";
import { NO_USAGE } from "../../../src/core/model/usage.ts";
import { ChatAssembly } from "../../../src/models/openai/messages/chat-assembly.ts";
import { asksWith, FIRST, fakeCall } from "../../fixtures/fake-call.ts";
import { type ChatAnswer, chatSays, chunk, USAGE } from "../../fixtures/fake-chat-api.ts";
import { openHostedWithApi } from "../../fixtures/hosted-with-api.ts";

async function ask(answer: ChatAnswer, name = "lab/one") {
	const { model } = await openHostedWithApi(() => answer, { name });
	const call = fakeCall();
	return { outcome: await model.ask(asksWith(FIRST), call), call };
}

async function replyTo(answer: ChatAnswer): Promise<ModelReply> {
	const { outcome } = await ask(answer);
	if (outcome.is === "failure") throw new Error(outcome.reason);
	return outcome;
}

async function failureOf(answer: ChatAnswer): Promise<ModelFailure> {
	const { outcome } = await ask(answer);
	if (outcome.is === "reply") throw new Error(`an answer: ${JSON.stringify(outcome.content)}`);
	return {
		...outcome,
		reason: outcome.reason.replace(/,? ?\(?req_fake_1\)?/, (id) => (id.startsWith(",") ? ")" : "")),
	};
}

const says = (text: string, reason = "stop", more: object[] = []): ChatAnswer => ({
	chunks: [chunk({ content: text }), chunk({}, reason), ...more],
});
const usage = (value: object) => ({ id: "c1", choices: [], usage: value });
const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;

test.each<[string, string, string | undefined]>([
	["stop", "end_turn", undefined],
	["length", "max_tokens", undefined],
	["content_filter", "refusal", "content_filter"],
	["eos_token", "end_turn", undefined],
	["MAX_TOKENS", "max_tokens", undefined],
	["SAFETY", "refusal", "SAFETY"],
	["brand_new", "brand_new", undefined],
])("an answer that stops for %s stops for %s", async (word, stopReason, stopWords) => {
	const reply = await replyTo(says("half", word));
	expect([reply.stopReason, reply.stopWords]).toEqual([stopReason, stopWords]);
});

// Seen to fail: half of an answer was the whole.
test("what cut an answer off is not undone by an end that is told behind it", async () => {
	const stops = async (...reasons: string[]) =>
		(await replyTo({ chunks: [chunk({ content: "half" }), ...reasons.map((reason) => chunk({}, reason))] })).stopReason;
	expect(await stops("length", "stop")).toBe("max_tokens");
	expect(await stops("content_filter", "tool_calls")).toBe("refusal");
	expect(await stops("stop", "length")).toBe("max_tokens");
	expect(await stops("tool_calls", "stop")).toBe("end_turn");
});

test("a refusal in words is one, whatever the reason", async () => {
	const reply = await replyTo({
		chunks: [chunk({ refusal: "I will " }), chunk({ refusal: "not." }), chunk({}, "stop")],
	});
	expect([reply.stopReason, reply.stopWords]).toEqual(["refusal", "I will not."]);
});

test.each<[string, object]>([
	["reasoning_content", { reasoning_content: "hm" }],
	["reasoning", { reasoning: "hm" }],
	["the same under two names", { reasoning_content: "hm", reasoning: "hm" }],
	["details alone", { reasoning_details: [{ type: "reasoning.summary", summary: "hm", index: 0 }] }],
	["parts of the content", { content: [{ type: "thinking", thinking: [{ type: "text", text: "hm" }] }] }],
])("thinking is shown and kept: %s", async (_, delta) => {
	const { outcome, call } = await ask({ chunks: [chunk(delta), chunk({ content: "so" }), chunk({}, "stop")] });
	expect(outcome).toMatchObject({
		content: [
			{ type: "thinking", thinking: "hm" },
			{ type: "text", text: "so" },
		],
	});
	expect(call.deltas).toEqual([
		{ kind: "thinking", text: "hm", block: 0 },
		{ kind: "text", text: "so", block: 1 },
	]);
});

test("details of thinking are put together from their pieces", async () => {
	const detail = (piece: object) => chunk({ reasoning_details: [{ type: "reasoning.text", index: 0, ...piece }] });
	const { content } = await replyTo({
		chunks: [
			detail({ text: "h" }),
			detail({ text: "m", signature: null }),
			detail({ signature: "sig" }),
			chunk({}, "stop"),
		],
	});
	const details = JSON.stringify([{ type: "reasoning.text", index: 0, text: "hm", signature: "sig" }]);
	expect(content).toEqual([{ type: "thinking", thinking: "hm", signature: `agentree:lab:${details}` }]);
});

// Seen to fail: a service that thought long, and showed nothing of it, was silent for too long.
test("pieces that show nothing are no silence", () => {
	const assembly = new ChatAssembly("lab", "one");
	const pieces = [
		{ reasoning_details: [{ type: "reasoning.encrypted", index: 0, data: "x" }] },
		{ reasoning_details: [{ type: "reasoning.encrypted", index: 0, data: "y" }] },
		{ refusal: "No" },
	];
	const grown = pieces.map((piece) => {
		const before = assembly.progress;
		assembly.take(chunk(piece));
		return assembly.progress > before;
	});
	expect(grown).toEqual([true, true, true]);
});

const CACHED = { input: 70, output: 20, cacheRead: 30, cacheWrite: 0 };
test.each<[string, object[], object]>([
	["cached tokens in the details", [usage({ ...USAGE, prompt_tokens_details: { cached_tokens: 30 } })], CACHED],
	["cached tokens as hits", [usage({ ...USAGE, prompt_cache_hit_tokens: 30, prompt_cache_miss_tokens: 70 })], CACHED],
	["cached tokens beside the others", [usage({ ...USAGE, cached_tokens: 30 })], CACHED],
	[
		"the names of the other protocol",
		[usage({ input_tokens: 100, output_tokens: 20, input_tokens_details: { cached_tokens: 30 } })],
		CACHED,
	],
	["usage in the choice", [{ choices: [{ index: 0, delta: {}, usage: USAGE }] }], { input: 100, output: 20 }],
	["usage of the vendor's own", [{ choices: [], x_groq: { id: "r", usage: USAGE } }], { input: 100, output: 20 }],
	["zeros at the end", [usage(USAGE), usage({ prompt_tokens: 0, completion_tokens: 0 })], { input: 100, output: 20 }],
	["parts of tokens", [usage({ prompt_tokens: 99.5, completion_tokens: 1.2 })], { input: 100, output: 2 }],
	["less at the end", [usage({ ...USAGE, completion_tokens: 90 }), usage(USAGE)], { input: 100, output: 90 }],
	[
		"thinking only in the total",
		[usage({ prompt_tokens: 100, completion_tokens: 5, total_tokens: 150 })],
		{ input: 100, output: 50 },
	],
	["null", [{ choices: [], usage: null }, usage(USAGE)], { input: 100, output: 20 }],
	["more cached than there are", [usage({ ...USAGE, cached_tokens: 900 })], { input: 0, cacheRead: 100 }],
	[
		"written to the cache",
		[usage({ ...USAGE, prompt_tokens_details: { cache_write_tokens: 40 } })],
		{ input: 60, cacheWrite: 40 },
	],
	["no usage at all", [], { ...NO_USAGE, uncounted: 1 }],
	["only zeros", [usage({ prompt_tokens: 0, completion_tokens: 0 })], { ...NO_USAGE, uncounted: 1 }],
	["what is no count", [usage({ prompt_tokens: -5, completion_tokens: "9" })], { ...NO_USAGE, uncounted: 1 }],
])("usage is counted: %s", async (_, more, expected) => {
	expect((await replyTo(says("ok", "stop", more))).usage).toMatchObject(expected);
});

test("an answer whose end was not seen is none, and is asked for again", async () => {
	const cut = await failureOf({ chunks: [chunk({ content: "half an ans" })], isCut: true });
	expect(cut).toMatchObject({ reason: "the service's answer was cut off before its end", exitCode: 75, retry: {} });
	const open = {
		chunks: [chunk({ tool_calls: [{ index: 0, id: "a", function: { name: "bash", arguments: '{"comm' } }] })],
	};
	expect(await failureOf({ ...open, isCut: true })).toMatchObject({ exitCode: 75 });
	expect(await failureOf({ chunks: [], isCut: true })).toMatchObject({ exitCode: 75 });
	expect(await failureOf({ chunks: [] })).toMatchObject({ reason: "the service's answer was cut off before its end" });
});

test("one of the two ends is enough: services leave out [DONE], or the reason for the stop", async () => {
	expect(await replyTo({ ...says("ok"), isCut: true } as ChatAnswer)).toMatchObject({ content: [{ text: "ok" }] });
	expect(await replyTo({ chunks: [chunk({ content: "ok" })] })).toMatchObject({ stopReason: "end_turn" });
});

test.each<[string, ChatAnswer, object]>([
	[
		"in a stream",
		{ chunks: [chunk({ content: "so" }), event({ error: { message: "Busy", type: "server_error" } })] },
		{ exitCode: 75, reason: "Busy (server_error)" },
	],
	[
		"in a stream, with a status as its code",
		{ chunks: [event({ error: { message: "Slow down", code: 429 } })] },
		{ exitCode: 75, reason: "Slow down (HTTP 429)", retry: { isRateLimit: true } },
	],
	[
		"in a choice",
		{
			chunks: [
				event({
					choices: [
						{
							index: 0,
							delta: {},
							finish_reason: "error",
							error: { code: 502, message: "Provider returned error", metadata: { raw: "upstream is down" } },
						},
					],
				}),
			],
		},
		{ exitCode: 75, reason: "Provider returned error: upstream is down (HTTP 502)" },
	],
	["as an event of that name", { chunks: ["event: error\ndata: it broke\n\n"] }, { exitCode: 75, reason: "it broke" }],
	[
		"as JSON in place of a stream",
		{ status: 200, json: { error: { message: "no credit", code: "insufficient_quota" } } },
		{ exitCode: 1, stopsRun: true, reason: "no credit (insufficient_quota)" },
	],
	[
		"as a text in JSON",
		{ status: 200, json: { error: "model is loading" } },
		{ exitCode: 75, reason: "model is loading" },
	],
	[
		"as an object of that kind",
		{ status: 200, json: { object: "error", message: "bad", type: "BadRequestError", code: 400 } },
		{ exitCode: 1, reason: "bad (HTTP 400, BadRequestError)" },
	],
	[
		"as the reason for the stop",
		says("half", "error"),
		{ exitCode: 75, reason: "the service broke off its answer (finish_reason error)" },
	],
	[
		"as a page",
		{ status: 200, text: "<html><title>Log in first</title></html>" },
		{ exitCode: 75, reason: "the service's answer broke off: it is text/html, not an event stream: Log in first" },
	],
	[
		"as a stream that is none",
		{ chunks: ["upstream timed out\n"], isCut: true },
		{ exitCode: 75, reason: "the service's answer broke off: it is not an event stream: upstream timed out" },
	],
	[
		"as an event that is none",
		{ chunks: [event(7)] },
		{ exitCode: 75, reason: "the service's answer broke off: it sent something that is not an event" },
	],
])("an error within the 200 is a failure: %s", async (_, answer, expected) => {
	expect(await failureOf(answer)).toMatchObject(expected);
});

test("an answer that does not stream, though it was asked to, is one", async () => {
	const message = { role: "assistant", content: "ok", tool_calls: null, reasoning_content: "hm" };
	const json = { id: "c1", model: "served", choices: [{ index: 0, message, finish_reason: "stop" }], usage: USAGE };
	const reply = { content: [{ thinking: "hm" }, { type: "text", text: "ok" }], usage: { input: 100, output: 20 } };
	expect(await replyTo({ status: 200, json })).toMatchObject(reply);
	expect(await replyTo({ status: 200, type: "text/plain", text: JSON.stringify(json) })).toMatchObject(reply);
});

// Each seen to fail.
test.each<[string, ChatAnswer]>([
	[
		"as JSON that is longer than a line",
		{
			chunks: [
				JSON.stringify({ id: "x".repeat(20_000), choices: [{ message: { content: "ok" }, finish_reason: "stop" }] }),
			],
			isCut: true,
		},
	],
	[
		"as events that say that they are JSON",
		{
			...{ status: 200, type: "application/json" },
			text: [chunk({ content: "ok" }), chunk({}, "stop"), "[DONE]"]
				.map((one) => `data: ${typeof one === "string" ? one : JSON.stringify(one)}\n\n`)
				.join(""),
		},
	],
	[
		"once more as a whole",
		{
			chunks: [
				chunk({ content: "o" }),
				chunk({ content: "k" }),
				{ id: "c1", choices: [{ index: 0, message: { content: "ok" }, finish_reason: "stop" }] },
			],
		},
	],
	[
		"with thinking in tags",
		{
			chunks: [..."\n<think>hm <b></think>\n\no", "k"].map((content) => chunk({ content })).concat(chunk({}, "stop")),
		},
	],
])("an answer that comes %s is the one that it is", async (_, answer) => {
	const { outcome, call } = await ask(answer);
	const texts = Object(outcome).content.filter(({ type }: { type: string }) => type === "text");
	expect(texts).toEqual([{ type: "text", text: "ok" }]);
	expect(call.deltas.flatMap(({ kind, text }) => (kind === "text" ? [text] : [])).join("")).toBe("ok");
});

test.each([
	["closed", ["<think>hm</think>ok"], ["thinking: hm", "text: ok"]],
	["never closed", ["<think> is a tag"], ["text: <think> is a tag"]],
	["in the midst", ["a <think>b</think>"], ["text: a <think>b</think>"]],
	["only begun", ["<thi"], ["text: <thi"]],
])("a tag of thinking that is %s takes nothing from an answer", async (_, texts, expected) => {
	const { content } = await replyTo({ chunks: [...texts.map((content) => chunk({ content })), chunk({}, "stop")] });
	expect(content.map((block) => `${block.type}: ${Object(block)[block.type]}`)).toEqual(expected);
});

test("chunks without choices, of other answers, with null content or parts, comments and line ends are read over", async () => {
	const { content, usage: counted } = await replyTo({
		chunks: [
			": PROCESSING\n\n",
			event({ id: "", choices: [], prompt_filter_results: [] }),
			`data: ${JSON.stringify(chunk({ role: "assistant", content: null }))}\r\n\r\n`,
			event({ choices: [{ index: 1, delta: { content: "of another" } }] }),
			event({ choices: [{ delta: { content: [{ type: "text", text: "o" }] } }] }),
			event(chunk({ content: "k", tool_calls: [] })),
			event({ choices: [null] }),
			event(chunk({}, "stop")),
			usage(USAGE),
		],
	});
	expect([content, counted.input]).toEqual([[{ type: "text", text: "ok" }], 100]);
});

test.each<[string, number, unknown, object]>([
	[
		"a refused key",
		401,
		{ error: { message: "Incorrect API key", code: "invalid_api_key" } },
		{
			exitCode: 77,
			stopsRun: true,
			reason: "Incorrect API key (HTTP 401, invalid_api_key); the service refuses the key: check LAB_KEY",
		},
	],
	[
		"a refused key as an invalid request",
		400,
		{ error: { code: 400, message: "API key not valid. Please pass a valid API key.", status: "INVALID_ARGUMENT" } },
		{ exitCode: 77, stopsRun: true },
	],
	[
		"no credit",
		402,
		{ error: { message: "Insufficient Balance", type: "unknown_error" } },
		{ exitCode: 1, stopsRun: true },
	],
	[
		"no credit as too many calls",
		429,
		{ error: { message: "You exceeded your current quota", type: "insufficient_quota", code: "insufficient_quota" } },
		{ exitCode: 1, stopsRun: true },
	],
	[
		"too many calls",
		429,
		{ error: { message: "Rate limit reached", type: "tokens", code: "rate_limit_exceeded" } },
		{ exitCode: 75, retry: { isRateLimit: true } },
	],
	[
		"an unknown model",
		404,
		{ error: { message: "The model `one` does not exist", code: "model_not_found" } },
		{ exitCode: 1, reason: expect.stringMatching(/^The model `one` does not exist \(HTTP 404, model_not_found\)/) },
	],
	[
		"a full context",
		400,
		{
			error: {
				message: "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
				code: "context_length_exceeded",
			},
		},
		{ exitCode: 1, contextFull: { promptTokens: 9000, maxTokens: 8192 } },
	],
	[
		"a full context of llama.cpp",
		400,
		{
			error: {
				code: 400,
				message: "the request exceeds the available context size",
				type: "exceed_context_size_error",
			},
		},
		{ exitCode: 1, contextFull: {} },
	],
	["an error of the server", 500, "oops", { exitCode: 75, reason: "oops (HTTP 500)" }],
	[
		"JSON of a gateway",
		422,
		{ detail: [{ msg: "x", message: "field required" }] },
		{ exitCode: 1, reason: "field required (HTTP 422)" },
	],
])("a refusal has the meaning that it has with any service: %s", async (_, status, body, expected) => {
	const answer = typeof body === "string" ? { status, text: body } : { status, json: body };
	const failure = await failureOf(answer);
	expect(failure).toMatchObject(expected);
	if (!("stopsRun" in expected)) expect(failure.stopsRun).toBeUndefined();
});

test("the wait that the service asks for, and the rest of its limits, are told", async () => {
	const busy = { status: 429, json: { error: { message: "slow" } } };
	const headers = { "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "1m2.5s" };
	expect(await failureOf({ ...busy, headers: { "retry-after": "7" } })).toMatchObject({ retry: { afterMs: 7_000 } });
	expect(await failureOf({ ...busy, headers })).toMatchObject({ retry: { isRateLimit: true, afterMs: 62_500 } });
	const limits: unknown[] = [];
	const { model } = await openHostedWithApi(() => ({
		...chatSays("ok"),
		headers: { "x-ratelimit-remaining-tokens": "9", "x-ratelimit-reset-tokens": "120ms" },
	}));
	await model.ask(asksWith(FIRST), fakeCall({ onAccepted: (rest) => void limits.push(...rest) }));
	expect(limits).toEqual([{ what: "tokens", remaining: 9, resetMs: 120 }]);
});
