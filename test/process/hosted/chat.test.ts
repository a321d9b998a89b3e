/** Models of services with the protocol of OpenAI, on the wire: what they are asked, and an answer in the plain form. */
import { expect, onTestFinished, test } from "vitest";
import type { AssistantBlock, Message } from "../../../src/core/model/message.ts";
import type { ModelOutcome } from "../../../src/core/model/model.ts";
import { OPENAI } from "../../../src/models/openai/provider.ts";
import { asksWith, FIRST, fakeCall } from "../../fixtures/fake-call.ts";
import { chatCall, chatSays, chunk, startFakeChatApi } from "../../fixtures/fake-chat-api.ts";
import { openHostedWithApi } from "../../fixtures/hosted-with-api.ts";

test("an answer streams in pieces and comes out whole, with usage, model and request id", async () => {
	const { api, model } = await openHostedWithApi(() => ({
		chunks: [
			chunk({ role: "assistant", content: "" }),
			chunk({ reasoning_content: "I look " }),
			chunk({ reasoning_content: "first 🙂" }),
			chunk({ content: "Let me see: " }),
			chunk({ content: "é🙂" }),
			chunk({ tool_calls: [{ index: 0, id: "call_1", type: "function", function: { name: "bash", arguments: "" } }] }),
			...['{"comma', 'nd":"echo \\"hi\\"', '\\nls"}'].map((json) =>
				chunk({ tool_calls: [{ index: 0, function: { arguments: json } }] }),
			),
			chunk({}, "tool_calls"),
			{
				id: "c1",
				choices: [],
				usage: { prompt_tokens: 100, completion_tokens: 40, prompt_tokens_details: { cached_tokens: 30 } },
			},
		],
	}));
	const call = fakeCall();
	expect(await model.ask(asksWith(FIRST), call)).toEqual({
		is: "reply",
		content: [
			{ type: "thinking", thinking: "I look first 🙂", signature: "agentree:lab:" },
			{ type: "text", text: "Let me see: é🙂" },
			{ type: "tool_use", id: "call_1", name: "bash", input: { command: 'echo "hi"\nls' } },
		],
		stopReason: "tool_use",
		usage: { input: 70, output: 40, cacheRead: 30, cacheWrite: 0 },
		model: "lab/served",
		requestId: "req_fake_1",
		messageId: "c1",
	});
	const text = (kind: string) => call.deltas.flatMap((delta) => (delta.kind === kind ? [delta.text] : [])).join("");
	expect([text("thinking"), text("text"), text("command")]).toEqual([
		...["I look first 🙂", "Let me see: é🙂", 'echo "hi"\nls'],
	]);
	expect(api.requests.map(({ body }) => body)).toEqual([
		{
			model: "one",
			messages: [
				{ role: "system", content: "You are an agent." },
				{ role: "user", content: "the task" },
			],
			tools: [{ type: "function", function: expect.objectContaining({ name: "bash", parameters: expect.anything() }) }],
			stream: true,
			stream_options: { include_usage: true },
		},
	]);
	expect(api.requests[0]?.headers.authorization).toBe("Bearer the-key-of-the-lab");
});

test("over many turns results come right after their calls, what is said after them, and the beginning stays equal to the byte", async () => {
	const { api, model } = await openHostedWithApi((_, n) =>
		chatSays("", { calls: [chatCall(`call_${n}`, `echo ${n}`), chatCall(`more_${n}`, "ls", 1)] }),
	);
	let messages: Message[] = FIRST;
	for (let turn = 1; turn <= 3; turn++) {
		const outcome = await model.ask(asksWith(messages, { mayUseTools: turn < 3, effort: "low" }), fakeCall({ turn }));
		if (outcome.is === "failure") throw new Error(outcome.reason);
		const results = outcome.content.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
		messages = [
			...messages,
			{ role: "assistant", content: outcome.content },
			{
				role: "user",
				content: [
					...results.map((id) => ({ type: "tool_result" as const, tool_use_id: id, content: `${id}\n` })),
					{ type: "text", text: "and then?" },
				],
			},
		];
	}
	expect(api.requests.map(({ refusal }) => refusal)).toEqual([undefined, undefined, undefined]);
	const [, second, third] = api.requests;
	expect(second?.body.messages.slice(2)).toEqual([
		{
			role: "assistant",
			content: null,
			tool_calls: [
				{ id: "call_1", type: "function", function: { name: "bash", arguments: '{"command":"echo 1"}' } },
				{ id: "more_1", type: "function", function: { name: "bash", arguments: '{"command":"ls"}' } },
			],
		},
		{ role: "tool", tool_call_id: "call_1", content: "call_1\n" },
		{ role: "tool", tool_call_id: "more_1", content: "more_1\n" },
		{ role: "user", content: "and then?" },
	]);
	expect(third?.raw.startsWith(second?.raw.slice(0, second.raw.indexOf("and then?")) ?? "?")).toBe(true);
	expect(api.requests.map(({ body }) => [body.reasoning_effort, body.tool_choice])).toEqual([
		...[
			["low", undefined],
			["low", undefined],
		],
		["low", "none"],
	]);
});

test("known services are asked in their own ways, and the bound of an answer is sent only where it is known or asked for", async () => {
	const ways: Record<string, object> = {
		"openai/gpt-5": { max_completion_tokens: 32_000, messages: [{ role: "developer" }, {}] },
		"openai/unheard-of": { messages: [{ role: "developer" }, {}] },
		"deepseek/deepseek-flash": { max_tokens: 32_000, messages: [{ role: "system" }, {}] },
		"openrouter/x/y": { model: "x/y", reasoning: { effort: "high" } },
		"vllm/qwen": { reasoning_effort: "high" },
	};
	for (const [name, expected] of Object.entries(ways)) {
		const { api, model } = await openHostedWithApi(() => chatSays("ok"), { name });
		expect(await model.ask(asksWith(FIRST, { effort: "high" }), fakeCall())).toMatchObject({ is: "reply" });
		expect(api.requests[0]?.body).toMatchObject(expected);
		if (!("max_tokens" in expected)) expect(api.requests[0]?.body.max_tokens).toBeUndefined();
	}
	const { api, model } = await openHostedWithApi(() => chatSays("ok"));
	await model.ask(asksWith(FIRST, { maxTokens: 700 }), fakeCall());
	expect(api.requests[0]?.body.max_tokens).toBe(700);
});

const thinks = (signature: string): AssistantBlock => ({ type: "thinking", thinking: "hm", signature });
const after = (block: AssistantBlock): Message[] => [
	...FIRST,
	{ role: "assistant", content: [block, { type: "tool_use", id: "a".repeat(60), name: "bash", input: {} }] },
	{ role: "user", content: [{ type: "tool_result", tool_use_id: "a".repeat(60), content: "x" }] },
];

test("thinking goes back to the service that it came from where that wants it, and to no other one", async () => {
	const sent = async (name: string, block: AssistantBlock) => {
		const { api, model } = await openHostedWithApi(() => chatSays("ok"), { name });
		expect(await model.ask(asksWith(after(block)), fakeCall())).toMatchObject({ is: "reply" });
		return api.requests[0]?.body.messages[2];
	};
	expect(await sent("deepseek/deepseek-flash", thinks("agentree:deepseek:"))).toMatchObject({
		reasoning_content: "hm",
	});
	// Without the field, or with an empty one, that service refuses the call.
	for (const signature of ["agentree:openrouter:", "EqQBCkgIARAB", ""])
		expect(await sent("deepseek/deepseek-flash", thinks(signature))).toMatchObject({ reasoning_content: " " });
	const details = JSON.stringify([{ type: "reasoning.text", text: "hm", signature: "s" }]);
	expect(await sent("openrouter/x/y", thinks(`agentree:openrouter:${details}`))).toMatchObject({
		reasoning_details: [{ type: "reasoning.text", text: "hm", signature: "s" }],
	});
	for (const data of ['{"type":"reasoning","encrypted_content":"x"}', "no JSON"])
		expect(await sent("openrouter/x/y", thinks(`agentree:openrouter:${data}`))).not.toHaveProperty("reasoning_details");
	const other = await sent("groq/llama", thinks("agentree:deepseek:"));
	expect(Object.keys(other ?? {}).sort()).toEqual(["content", "role", "tool_calls"]);
});

// Seen to fail: only thinking before calls went back, so the second message to such a service was a 400.
test("thinking goes back with answers that have no call, too", async () => {
	const said: Message[] = [
		...FIRST,
		{ role: "assistant", content: [thinks("agentree:deepseek:"), { type: "text", text: "forty-two" }] },
		{ role: "user", content: [{ type: "text", text: "why?" }] },
		{ role: "assistant", content: [{ type: "text", text: "of another model" }] },
		{ role: "user", content: [{ type: "text", text: "and?" }] },
	];
	const sent = async (name: string) => {
		const { api, model } = await openHostedWithApi(() => chatSays("ok"), { name });
		expect(await model.ask(asksWith(said), fakeCall())).toMatchObject({ is: "reply" });
		return api.requests[0]?.body.messages.filter(({ role }) => role === "assistant");
	};
	expect(await sent("deepseek/deepseek-flash")).toEqual([
		{ role: "assistant", content: "forty-two", reasoning_content: "hm" },
		{ role: "assistant", content: "of another model", reasoning_content: " " },
	]);
	expect(await sent("groq/llama")).toEqual([
		{ role: "assistant", content: "forty-two" },
		{ role: "assistant", content: "of another model" },
	]);
});

const CALLS: AssistantBlock[] = ["a", "b"].map((id) => ({ type: "tool_use", id, name: "bash", input: {} }));
const called = (...thinking: AssistantBlock[]): Message[] => [
	...FIRST,
	{ role: "assistant", content: [...thinking, ...CALLS] },
	{ role: "user", content: ["a", "b"].map((id) => ({ type: "tool_result", tool_use_id: id, content: "x" })) },
];
const PLACEHOLDER = { google: { thought_signature: "skip_thought_signature_validator" } };

// Seen to fail: what a call came with was lost, and its service refused the next request.
test("what a service adds to its calls is kept, in whatever pieces it comes, and goes back to the model that it came from", async () => {
	const extra = { google: { thought_signature: "S", more: true } };
	const { api, model } = await openHostedWithApi((_, n) =>
		n > 1
			? chatSays("ok")
			: {
					chunks: [
						chunk({ extra_content: { google: { thought_signature: "of the message" } } }),
						chunk({ tool_calls: [{ ...chatCall("a", "ls"), extra_content: { google: { thought_signature: "S" } } }] }),
						chunk({ tool_calls: [{ index: 0, extra_content: { google: { more: true } } }] }),
						chunk({ tool_calls: [chatCall("b", "ls", 1)] }, "stop"),
					],
				},
	);
	const { content } = (await model.ask(asksWith(FIRST), fakeCall())) as Extract<ModelOutcome, { is: "reply" }>;
	const messages = called(...content.filter(({ type }) => type === "thinking"));
	const sentBy = async (other = model, { requests } = api) => {
		expect(await other.ask(asksWith(messages), fakeCall())).toMatchObject({ is: "reply" });
		const sent = requests.at(-1)?.body.messages[2];
		return [sent?.extra_content, ...(sent?.tool_calls ?? []).map((call) => call.extra_content)];
	};
	expect(await sentBy()).toEqual([{ google: { thought_signature: "of the message" } }, extra, undefined]);
	const other = await openHostedWithApi(() => chatSays("ok"), { name: "lab/two" });
	expect(await sentBy(other.model, other.api)).toEqual([undefined, undefined, undefined]);
	const strict = await openHostedWithApi(() => chatSays("ok"), { name: "lab/two", flags: { callSignatures: true } });
	expect(await sentBy(strict.model, strict.api)).toEqual([undefined, PLACEHOLDER, PLACEHOLDER]);
});

test.each([
	["gemini/gemini-3-pro", true],
	["gemini/models/gemini-2.5-flash", false],
	["groq/llama", false],
])("calls of another model get the documented placeholder where it is asked for: %s", async (name, isAsked) => {
	const { api, model } = await openHostedWithApi(() => chatSays("ok"), { name });
	expect(await model.ask(asksWith(called()), fakeCall())).toMatchObject({ is: "reply" });
	const sent = api.requests[0]?.body.messages[2]?.tool_calls?.map((call) => call.extra_content);
	expect(sent).toEqual(isAsked ? [PLACEHOLDER, PLACEHOLDER] : [undefined, undefined]);
});

test("an id of another service that is too long for this one is shortened, the same in a call and its result", async () => {
	const { api, model } = await openHostedWithApi(() => chatSays("ok"));
	expect(await model.ask(asksWith(after(thinks(""))), fakeCall())).toMatchObject({ is: "reply" });
	expect(api.requests[0]?.body.messages[3]).toMatchObject({
		role: "tool",
		tool_call_id: expect.stringMatching(/^call_/),
	});
});

// Seen to fail: the path stood in the query, and the headers were unknown keys of the configuration file.
test("a query of the address stays behind the path, and headers go with each call, the key in one of them alone", async () => {
	const api = await startFakeChatApi(() => chatSays("ok"));
	onTestFinished(() => api.close());
	const host = {
		...{
			name: "azure",
			baseUrl: `${api.origin}/openai/deployments/d?api-version=2024-10-21`,
			keyVariables: ["AZURE_KEY"],
		},
		headers: { "api-key": "$AZURE_KEY", "x-project": "mine", "x-both": "a \u0024{AZURE_KEY} b" },
	};
	const opened = { credentials: { AZURE_KEY: "k-1" }, hosts: [host], maxSilenceMs: 20_000, now: Date.now };
	const model = await OPENAI.open("azure/gpt-5", opened);
	onTestFinished(() => model.close());
	expect(await model.ask(asksWith(FIRST), fakeCall())).toMatchObject({ is: "reply" });
	const [request] = api.requests;
	expect(request?.path).toBe("/openai/deployments/d/chat/completions?api-version=2024-10-21");
	expect(request?.headers).toMatchObject({ "api-key": "k-1", "x-project": "mine", "x-both": "a k-1 b" });
	expect(request?.headers.authorization).toBeUndefined();
	const [list] = (await OPENAI.list?.({ ...opened, withinMs: 5_000 })) ?? [];
	expect(list?.address).toBe(`${api.origin}/openai/deployments/d`);
	expect(api.requests.at(-1)?.path).toBe("/openai/deployments/d/models?api-version=2024-10-21");
	const unset = { ...opened, hosts: [{ ...host, headers: { "x-more": "$UNSET" } }] };
	await expect(OPENAI.open("azure/gpt-5", unset)).rejects.toThrow(
		"providers.azure.headers names UNSET, which is not set",
	);
});

test("a service that needs no key gets none", async () => {
	const { api, model } = await openHostedWithApi(() => chatSays("ok"), {
		name: "ollama/qwen3",
		credentials: {},
		keyVariables: [],
	});
	expect(await model.ask(asksWith(FIRST), fakeCall())).toMatchObject({ is: "reply" });
	expect(api.requests[0]?.headers.authorization).toBeUndefined();
});
