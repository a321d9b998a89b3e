/** The whole program with services that refuse what does not follow their own rules. */
import { writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import {
	type ChatAnswer,
	type ChatRequest,
	chatCall,
	chatSays,
	chunk,
	startFakeChatApi,
	type WireCall,
} from "../../fixtures/fake-chat-api.ts";
import { endOf } from "../api/api-run.ts";
import { runProgram, startProgram, temporaryHome } from "../program.ts";

/** A service whose refusals come before its answers, which are counted from 1. */
async function startStrict(refusal: (request: ChatRequest) => ChatAnswer | undefined, answers: readonly ChatAnswer[]) {
	let n = 0;
	const api = await startFakeChatApi((request) => refusal(request) ?? (answers[n++] as ChatAnswer));
	onTestFinished(() => api.close());
	return api;
}

const assistants = ({ body }: ChatRequest) => body.messages.filter(({ role }) => role === "assistant");
const invalid = (message: string): ChatAnswer => ({
	status: 400,
	json: { error: { message, type: "invalid_request_error", param: null, code: "invalid_request_error" } },
});

/** An answer behind a thought. */
function thinks(thought: string, ...pieces: object[]): ChatAnswer {
	return { chunks: [chunk({ reasoning_content: thought }), ...pieces.map((piece) => chunk(piece)), chunk({}, "stop")] };
}

// Seen to fail: the second answer to a schema and the message to a run that had answered were refused.
test("a service that wants all its thinking back gets it, in each answer and in a run that goes on", async () => {
	const api = await startStrict(
		(request) =>
			assistants(request).every(({ reasoning_content: thought }) => typeof thought === "string" && thought !== "")
				? undefined
				: invalid("The `reasoning_content` in the thinking mode must be passed back to the API."),
		[
			thinks("one", { tool_calls: [chatCall("a", "echo 1")] }),
			thinks("two", { content: "no JSON" }),
			thinks("three", { content: "[1]" }),
			thinks("four", { content: "[2]" }),
		],
	);
	const home = temporaryHome();
	const env = { DEEPSEEK_API_KEY: "dummy-of-deepseek", DEEPSEEK_BASE_URL: api.url };
	writeFileSync(join(home, "s.json"), '{"type":"array"}');
	const run = ["run", "--model", "deepseek/deepseek-flash", "--json-schema", "s.json", "look"];
	const first = startProgram(run, { home, env });
	expect(await endOf(first)).toEqual({ exit: 0, stdout: "[1]\n", stderr: "" });
	const again = await runProgram(["resume", "-q", basename(await first.runDirectory()), "and now?"], { home, env });
	expect(again).toMatchObject({ exit: 0, stdout: "[2]\n" });
	const back = api.requests.map((request) => assistants(request).map(({ reasoning_content }) => reasoning_content));
	expect(back).toEqual([[], ["one"], ["one", "two"], ["one", "two", "three"]]);
});

const signed = (call: WireCall, signature: string): WireCall => ({
	...call,
	extra_content: { google: { thought_signature: signature } },
});

// Seen to fail: the second request of each run was refused.
test("a service that signs its calls gets the signatures back, also in a run that goes on", async () => {
	const unsigned = invalid("Function call is missing a thought_signature in functionCall parts.");
	const refusal = (request: ChatRequest) =>
		assistants(request).every(
			({ tool_calls: [first] = [] }) => first === undefined || first.extra_content !== undefined,
		)
			? undefined
			: ({ ...unsigned, json: [Object(unsigned).json] } as ChatAnswer);
	const two = [signed(chatCall("a", "echo 1"), "sig-1"), chatCall("b", "echo 2", 1)];
	const api = await startStrict(refusal, [
		chatSays("", { calls: two }),
		chatSays("done"),
		chatSays("", { calls: [signed(chatCall("c", "echo 3"), "sig-2")] }),
		chatSays("again"),
	]);
	const home = temporaryHome();
	const env = { GEMINI_API_KEY: "dummy-of-gemini", GEMINI_BASE_URL: api.origin };
	const first = startProgram(["run", "--model", "gemini/gemini-3-pro", "look"], { home, env });
	expect(await endOf(first)).toEqual({ exit: 0, stdout: "done\n", stderr: "" });
	const run = basename(await first.runDirectory());
	expect(await runProgram(["resume", "-q", run, "more"], { home, env })).toMatchObject({ exit: 0, stdout: "again\n" });
	const back = api.requests.map((request) =>
		assistants(request).flatMap(({ tool_calls: calls = [] }) =>
			calls.map(({ extra_content }) => extra_content ?? null),
		),
	);
	const [one, three] = ["sig-1", "sig-2"].map((signature) => ({ google: { thought_signature: signature } }));
	expect(back).toEqual([[], [one, null], [one, null], [one, null, three]]);
	expect(api.requests[0]?.path).toBe("/v1beta/openai/chat/completions");
});

const completed = (output: object[]): ChatAnswer => ({
	chunks: [
		{
			type: "response.completed",
			response: { status: "completed", output, usage: { input_tokens: 9, output_tokens: 2 } },
		},
	],
});
const message = (text: string) => ({ type: "message", content: [{ type: "output_text", text }] });

// Seen to fail: the run that went on ended with the refusal; headers and a query were not to be had.
test("thinking that a service has kept for another session is left out, behind a gateway with a query and headers", async () => {
	const api = await startFakeChatApi((request, n) => {
		const items = (request.body.input as { type: string; id?: string }[]).filter(({ type }) => type === "reasoning");
		const wordsOfIt = `Item with id '${items[0]?.id}' not found. Items are not persisted when \`store\` is set to false.`;
		if (n > 1 && items.length > 0)
			return { status: 404, json: { error: { message: wordsOfIt, type: "invalid_request_error" } } };
		const thought = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "ENC" };
		return completed([...(n === 1 ? [thought] : []), message(n === 1 ? "done" : "again")]);
	});
	onTestFinished(() => api.close());
	const home = temporaryHome();
	const config = join(home, "config.yaml");
	const lines = [
		`base_url: ${api.url}?api-version=1`,
		"key_env: LAB_KEY",
		"headers: { api-key: $LAB_KEY }",
		"protocol: responses",
	];
	writeFileSync(config, `providers:\n  lab:\n${lines.map((line) => `    ${line}\n`).join("")}`);
	const env = { AGENTREE_CONFIG: config, LAB_KEY: "dummy-of-the-lab" };
	const first = startProgram(["run", "--model", "lab/one", "look"], { home, env });
	expect(await endOf(first)).toEqual({ exit: 0, stdout: "done\n", stderr: "" });
	const run = basename(await first.runDirectory());
	expect(await runProgram(["resume", "-q", run, "more"], { home, env })).toMatchObject({ exit: 0, stdout: "again\n" });
	expect(api.requests.map(({ path, headers }) => [path, headers["api-key"], headers.authorization])).toEqual(
		Array(3).fill(["/v1/responses?api-version=1", "dummy-of-the-lab", undefined]),
	);
});

const CONTEXT = 16_384;

/** Keeps of a prompt that is too long half of what fits, as Ollama does, counts that, and says nothing of it. */
function cutting({ raw }: ChatRequest, says: (read: string) => ChatAnswer): ChatAnswer {
	const tokens = Math.ceil(raw.length / 4);
	const read = tokens <= CONTEXT ? tokens : CONTEXT / 2 + 2;
	const answer = says(raw.slice(-read * 4));
	if (!("chunks" in answer)) return answer;
	return { chunks: [...answer.chunks, { choices: [], usage: { prompt_tokens: read, completion_tokens: 5 } }] };
}

// Seen to fail: the model answered without its task, and nobody was told.
test.each([true, false])(
	"a prompt that was cut without a word is found out, told in one line, and room is made (it says its context: %s)",
	async (says) => {
		const context_length = CONTEXT;
		const api = await startFakeChatApi(
			(request) =>
				cutting(request, (read) => {
					if (read.includes("Write down all that is needed")) return chatSays("numbers were printed", { usage: {} });
					if (!read.includes("print many numbers")) return chatSays("what was I to do?", { usage: {} });
					if (read.includes("numbers were printed")) return chatSays("done", { usage: {} });
					const n = assistants(request).length;
					return chatSays("", { calls: [chatCall(`a${n}`, `seq ${n * 2000} ${n * 2000 + 1500}`)], usage: {} });
				}),
			{ others: (path) => (says && path === "/api/ps" ? { models: [{ name: "qwen3", context_length }] } : undefined) },
		);
		onTestFinished(() => api.close());
		const program = startProgram(["run", "--model", "ollama/qwen3", "print many numbers"], {
			env: { OLLAMA_BASE_URL: api.url },
		});
		const { exit, stdout, stderr } = await endOf(program);
		expect([exit, stdout]).toEqual([0, "done\n"]);
		expect(stderr.trim().split("\n")).toEqual([
			expect.stringMatching(
				says ? /a context of only 16384 tokens: .*OLLAMA_CONTEXT_LENGTH/ : /8194 tokens: the service dropped/,
			),
		]);
		expect(program.events().map(({ event }) => event)).toContain("history_compacted");
	},
);
