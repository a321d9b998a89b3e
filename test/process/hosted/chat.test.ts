/** Models of services with the protocol of OpenAI, on the wire: what they are asked, and an answer in the plain form. */
import { expect, test } from "vitest";
import type { AssistantBlock, Message } from "../../../src/core/message.ts";
import { asksWith, FIRST, fakeCall } from "../../fixtures/fake-call.ts";
import { chatCall, chatSays, chunk } from "../../fixtures/fake-chat-api.ts";
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
	// Without the field, though it be empty, that service refuses the call.
	for (const signature of ["agentree:openrouter:", "EqQBCkgIARAB", ""])
		expect(await sent("deepseek/deepseek-flash", thinks(signature))).toMatchObject({ reasoning_content: "" });
	const details = JSON.stringify([{ type: "reasoning.text", text: "hm", signature: "s" }]);
	expect(await sent("openrouter/x/y", thinks(`agentree:openrouter:${details}`))).toMatchObject({
		reasoning_details: [{ type: "reasoning.text", text: "hm", signature: "s" }],
	});
	for (const data of ['{"type":"reasoning","encrypted_content":"x"}', "no JSON"])
		expect(await sent("openrouter/x/y", thinks(`agentree:openrouter:${data}`))).not.toHaveProperty("reasoning_details");
	const other = await sent("groq/llama", thinks("agentree:deepseek:"));
	expect(Object.keys(other ?? {}).sort()).toEqual(["content", "role", "tool_calls"]);
});

test("an id of another service that is too long for this one is shortened, the same in a call and its result", async () => {
	const { api, model } = await openHostedWithApi(() => chatSays("ok"));
	expect(await model.ask(asksWith(after(thinks(""))), fakeCall())).toMatchObject({ is: "reply" });
	expect(api.requests[0]?.body.messages[3]).toMatchObject({
		role: "tool",
		tool_call_id: expect.stringMatching(/^call_/),
	});
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
