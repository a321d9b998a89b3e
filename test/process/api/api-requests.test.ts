import { expect, test } from "vitest";
import { readAgentFile } from "../../../src/record/read-run.ts";
import type { RecordedRequest } from "../../fixtures/fake-api.ts";
import { endOf, KEY, requestsOf, runs, says, startApiRun } from "./api-run.ts";

const CHILD = "count the files";
const FIRST = [
	{ type: "thinking", thinking: "First I look.\nÄ 🌳", signature: "c2lnbmF0dXJlLTE=" },
	{ type: "thinking", thinking: "", signature: "c2lnbmF0dXJlLTI=" },
	{ type: "redacted_thinking", data: "cmVkYWN0ZWQ=" },
	says("I look."),
	runs("toolu_1", "echo one"),
] as const;
const SECOND = [
	{ type: "thinking", thinking: "Now a child.", signature: "c2lnbmF0dXJlLTM=" },
	runs("toolu_2", `agent --model claude-haiku-4-5 --max-turns 7 --max-depth 0 "${CHILD}"`),
] as const;

async function treeOfTwo() {
	const { api, program } = await startApiRun(
		{
			look: [{ content: [...FIRST] }, { content: [...SECOND] }, { content: [says("done")] }],
			[CHILD]: [{ content: [runs("toolu_3", "echo 42")] }, { content: [says("42")] }],
		},
		["--effort", "high", "look"],
	);
	expect(await endOf(program)).toEqual({ exit: 0, stdout: "done\n", stderr: "" });
	return { program, root: requestsOf(api, "look"), child: requestsOf(api, CHILD), all: api.requests };
}

test("every request is in order, and each agent's system prompt and tools are the same bytes in all of its turns", async () => {
	const { root, child, all, program } = await treeOfTwo();
	expect(all.map(({ refusal }) => refusal)).toEqual(Array.from({ length: 5 }, () => undefined));
	expect([root.length, child.length]).toEqual([3, 2]);
	for (const requests of [root, child]) {
		const stable = requests.map(({ raw, body }) => {
			const system = `"system":${JSON.stringify(body.system)}`;
			const tools = `"tools":${JSON.stringify(body.tools)}`;
			return { system, tools, areInTheBytes: raw.includes(system) && raw.includes(tools) };
		});
		expect(stable).toEqual(stable.map(() => ({ ...stable[0], areInTheBytes: true })));
	}
	const directory = await program.runDirectory();
	const file = readAgentFile(directory, "1.1");
	expect(file.system).toBe(child[0]?.body.system);
});

test("the headers are the SDK's, and the body has nothing that new models refuse", async () => {
	const { root } = await treeOfTwo();
	for (const { headers, body } of root) {
		expect(headers).toMatchObject({
			authorization: `Bearer ${KEY}`, // so does this version of the SDK with a key
			"anthropic-version": expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/),
			"content-type": "application/json",
			"user-agent": expect.stringMatching(/^Anthropic\/JS \d/),
		});
		const { system, tools, messages, ...rest } = body;
		expect([typeof system, tools?.map(({ name }) => name), messages.length % 2]).toEqual(["string", ["bash"], 1]);
		expect(rest).toEqual({
			model: "claude-sonnet-5-5",
			max_tokens: 32_000,
			stream: true,
			cache_control: { type: "ephemeral" },
			thinking: { type: "adaptive", display: "summarized" },
			output_config: { effort: "high" },
		});
	}
});

test("what the model answered comes back byte for byte, thinking included", async () => {
	const { root } = await treeOfTwo();
	const [one, two, three] = root as [RecordedRequest, RecordedRequest, RecordedRequest];
	expect(one.body.messages).toEqual([{ role: "user", content: [{ type: "text", text: "look" }] }]);
	expect(three.body.messages).toEqual([
		...one.body.messages,
		{ role: "assistant", content: FIRST },
		{ role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "one\n" }] },
		{ role: "assistant", content: SECOND },
		{ role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_2", content: "42\n" }] },
	]);
	expect(two.raw).toContain(JSON.stringify(FIRST));
	for (const content of [FIRST, SECOND]) expect(three.raw).toContain(JSON.stringify(content));
});

test("a child has the model that it was started with, and is told its own limits", async () => {
	const { child } = await treeOfTwo();
	for (const { body } of child) {
		const { system, tools, messages, ...rest } = body;
		expect([tools?.length, messages[0]]).toEqual([1, { role: "user", content: [{ type: "text", text: CHILD }] }]);
		expect(rest).toEqual({
			model: "claude-haiku-4-5",
			max_tokens: 32_000,
			stream: true,
			cache_control: { type: "ephemeral" },
			output_config: { effort: "high" },
		});
		expect(system).toContain("You are agent 1.1. Limits in force:");
		expect(system).toContain("- You cannot start child agents (max-depth is reached): do the task yourself.");
		expect(system).toContain("7 for you, 1000 for you and all below you together.");
	}
});

test("a bearer token is sent when there is no key", async () => {
	const { api, program } = await startApiRun({ look: [{ content: [says("done")] }] }, ["look"], {
		env: { ANTHROPIC_API_KEY: "", ANTHROPIC_AUTH_TOKEN: "dummy-token" },
	});
	expect(await endOf(program)).toEqual({ exit: 0, stdout: "done\n", stderr: "" });
	expect(api.requests.map(({ headers }) => headers.authorization)).toEqual(["Bearer dummy-token"]);
});

test("an answer that asks for five calls at once gets five results in one message, in their order, run side by side", async () => {
	const five = [
		runs("toolu_a", "echo a > a; until [ -e b ]; do sleep 0.01; done; echo saw b"),
		{ type: "tool_use", id: "toolu_b", name: "python", input: { code: "1" } },
		runs("toolu_c", "until [ -e a ]; do sleep 0.01; done; echo b > b; echo saw a; exit 3"),
		{ type: "tool_use", id: "toolu_d", name: "bash", input: { command: 5 } },
		runs("toolu_e", "until [ -e a -a -e b ]; do sleep 0.01; done; echo saw both"),
	] as const;
	const { api, program } = await startApiRun(
		{ look: [{ content: [says("All at once."), ...five] }, { content: [says("done")] }] },
		["look"],
	);
	expect(await endOf(program)).toEqual({ exit: 0, stdout: "done\n", stderr: "" });
	expect(api.requests.map(({ refusal }) => refusal)).toEqual([undefined, undefined]);
	const result = (id: string, content: string) => ({ type: "tool_result", tool_use_id: id, content });
	const failed = (id: string, content: string) => ({ ...result(id, content), is_error: true });
	expect(api.requests[1]?.body.messages.slice(2)).toEqual([
		{
			role: "user",
			content: [
				result("toolu_a", "saw b\n"),
				failed("toolu_b", 'Not run: unknown tool "python"; the only tool is bash'),
				failed("toolu_c", expect.stringMatching(/^saw a\n[^\n]*exit status 3[^\n]*\n?$/)),
				failed("toolu_d", 'Not run: "command" must be a string, not a number'),
				result("toolu_e", "saw both\n"),
			],
		},
	]);
});
