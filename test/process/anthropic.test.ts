import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { expect, onTestFinished, test, vi } from "vitest";
import type { AssistantBlock, Message } from "../../src/core/model.ts";
import { type AnthropicCredentials, openAnthropic } from "../../src/models/anthropic.ts";
import { type FakeAnswer, startFakeApi } from "../fixtures/fake-api.ts";
import { asksWith, FIRST, fakeCall } from "../fixtures/fake-call.ts";

const MODEL = "claude-opus-5-5";
const say = (text: string) => ({ content: [{ type: "text", text }] });
const runs = (id: string, command: string) => ({ type: "tool_use", id, name: "bash", input: { command } });
const NOW = { "retry-after-ms": "1" }; // the SDK's own waits are half a second and more

async function open(
	answer: Parameters<typeof startFakeApi>[0],
	given: { credentials?: AnthropicCredentials; name?: string; maxSilenceMs?: number } = {},
) {
	const api = await startFakeApi(answer);
	const { credentials = { apiKey: "test-key" }, name = MODEL, maxSilenceMs = 20_000 } = given;
	const model = openAnthropic(name, { ...credentials, baseUrl: api.url }, { maxSilenceMs });
	onTestFinished(async () => {
		model.close();
		await api.close();
	});
	return { api, model };
}

test("an answer streams in pieces and comes out whole, with usage, model and request id", async () => {
	const content = [
		{ type: "thinking", thinking: "I look first 🙂", signature: "sig" },
		{ type: "text", text: "Let me see: é🙂" },
		runs("toolu_1", 'echo "hi"\nls'),
	] as AssistantBlock[];
	const usage = { input: 100, output: 40, cacheRead: 2000, cacheWrite: 300 };
	const { model } = await open(() => ({ content, usage, pieceSize: 3 }));
	const call = fakeCall();
	expect(await model.ask(asksWith(FIRST), call)).toEqual({
		is: "reply",
		content,
		stopReason: "tool_use",
		usage,
		model: MODEL,
		requestId: "req_fake_1",
	});
	const text = (kind: string) => call.deltas.flatMap((delta) => (delta.kind === kind ? [delta.text] : [])).join("");
	expect(text("thinking")).toBe("I look first 🙂");
	expect(text("text")).toBe("Let me see: é🙂");
	expect(text("command")).toBe('echo "hi"\nls');
	expect(call.deltas.length).toBeGreaterThan(12);
});

test("over many turns the requests are in order, system and tools equal to the byte, no block altered", async () => {
	const thinking = [
		{ type: "thinking", thinking: "", signature: "sig-of-an-empty-one==" },
		{ type: "redacted_thinking", data: "ENCRYPTED==" },
	] as AssistantBlock[];
	const { api, model } = await open((_, n) => ({ content: [...thinking, runs(`toolu_${n}`, `echo ${n}`)] }));
	let messages: Message[] = FIRST;
	for (let turn = 1; turn <= 3; turn++) {
		const outcome = await model.ask(asksWith(messages, { mayUseTools: turn < 3, effort: "low" }), fakeCall({ turn }));
		if (outcome.is === "failure") throw new Error(outcome.reason);
		messages = [
			...messages,
			{ role: "assistant", content: outcome.content },
			{ role: "user", content: [{ type: "tool_result", tool_use_id: `toolu_${turn}`, content: `${turn}\n` }] },
		];
	}
	expect(api.requests.map(({ refusal }) => refusal)).toEqual([undefined, undefined, undefined]);
	const stable = api.requests.map(({ body }) => JSON.stringify([body.system, body.tools]));
	expect(new Set(stable).size).toBe(1);
	for (const { body } of api.requests)
		expect(body).toMatchObject({
			model: MODEL,
			stream: true,
			cache_control: { type: "ephemeral" },
			thinking: { type: "adaptive", display: "summarized" },
			output_config: { effort: "low" },
		});
	expect(api.requests[2]?.raw).toContain(JSON.stringify(thinking).slice(1, -1));
	expect(api.requests.map(({ body }) => body.tool_choice)).toEqual([undefined, undefined, { type: "none" }]);
});

test("key and token go out as the SDK sends them, the key before the token", async () => {
	for (const [credentials, bearer] of [
		[{ apiKey: "the-key" }, "Bearer the-key"],
		[{ authToken: "the-token" }, "Bearer the-token"],
		[{ apiKey: "the-key", authToken: "the-token" }, "Bearer the-key"],
	] as const) {
		const { api, model } = await open(() => say("ok"), { credentials });
		expect(await model.ask(asksWith(FIRST), fakeCall())).toMatchObject({ is: "reply" });
		expect(api.requests[0]?.headers).toMatchObject({
			authorization: bearer,
			"anthropic-version": expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
		});
	}
});

test("a model without adaptive thinking is asked in a way that it accepts", async () => {
	const { model } = await open(() => say("ok"), { name: "claude-haiku-4-5" });
	expect(await model.ask(asksWith(FIRST), fakeCall())).toMatchObject({ is: "reply", content: [{ text: "ok" }] });
});

test.each<[string, FakeAnswer, number, string, number]>([
	[
		"a rejected key",
		{ error: { status: 401, type: "authentication_error", message: "invalid x-api-key" } },
		77,
		"invalid x-api-key (HTTP 401, authentication_error, req_fake_1); the service refuses the key: check ANTHROPIC_API_KEY",
		1,
	],
	[
		"a missing permission",
		{ error: { status: 403, type: "permission_error", message: "not for you" } },
		77,
		"not for you (HTTP 403, permission_error, req_fake_1); the service refuses the key: check ANTHROPIC_API_KEY",
		1,
	],
	[
		"an invalid request",
		{ error: { status: 400, type: "invalid_request_error", message: "prompt is\ntoo long" } },
		1,
		"prompt is too long (HTTP 400, invalid_request_error, req_fake_1)",
		1,
	],
	[
		"an overloaded service, after the SDK's retries",
		{ error: { status: 529, type: "overloaded_error", message: "Overloaded", headers: NOW } },
		75,
		"Overloaded (HTTP 529, overloaded_error, req_fake_3)",
		3,
	],
	[
		"a rate limit, after the SDK's retries",
		{ error: { status: 429, type: "rate_limit_error", message: "slow down", headers: NOW } },
		75,
		"slow down (HTTP 429, rate_limit_error, req_fake_3)",
		3,
	],
	[
		"a proxy's page",
		{ body: { status: 404, type: "text/html", text: "<html>\n<b>no</b>\n</html>" } },
		1,
		"404 <html> <b>no</b> </html> (HTTP 404, req_fake_1)",
		1,
	],
])("%s is a failure in the service's words", async (_, answer, exitCode, reason, requests) => {
	const { api, model } = await open(() => answer);
	expect(await model.ask(asksWith(FIRST), fakeCall())).toMatchObject({ is: "failure", exitCode, reason });
	expect(api.requests.length).toBe(requests);
});

test("an error that goes away is retried by itself", async () => {
	const overloaded = { error: { status: 529, type: "overloaded_error", message: "Overloaded", headers: NOW } };
	const { model } = await open((_, n) => (n === 1 ? overloaded : say("there")));
	expect(await model.ask(asksWith(FIRST), fakeCall())).toMatchObject({ is: "reply", content: [{ text: "there" }] });
});

test("nobody listening at the address is a failure that names the cause", async () => {
	const { api, model } = await open(() => say("never"));
	await api.close();
	expect(await model.ask(asksWith(FIRST), fakeCall())).toMatchObject({
		is: "failure",
		exitCode: 75,
		reason: expect.stringMatching(/^the service is out of reach: .*ECONNREFUSED/),
	});
});

const CALL_AFTER_TEXT = { content: [...say("half an answer").content, runs("toolu_1", "rm -rf /tmp/x")] };

test.each([
	["cut off after the call was closed", { after: 14, by: "cut" as const }, 75, "broke off"],
	["ended without its end", { after: 14, by: "end" as const }, 75, "the service's answer was cut off before its end"],
	[
		"ended by an error of the service",
		{ after: 6, by: { type: "overloaded_error", message: "Overloaded" } },
		75,
		"Overloaded (overloaded_error, req_fake_1)",
	],
	[
		"ended by a final error of the service",
		{ after: 6, by: { type: "invalid_request_error", message: "no" } },
		1,
		"no (invalid_request_error, req_fake_1)",
	],
	["broken by invalid JSON", { after: 6, by: { raw: 'event: message_delta\ndata: {"type": mess\n\n' } }, 75, "JSON"],
])(
	"a stream %s is a failure with the usage so far, and no call of it reaches anyone",
	async (_, breakOff, code, words) => {
		const { model } = await open(() => ({ ...CALL_AFTER_TEXT, breakOff }));
		const call = fakeCall();
		const outcome = await model.ask(asksWith(FIRST), call);
		expect(outcome).toMatchObject({ is: "failure", exitCode: code, usage: { input: 10 } });
		expect(outcome).toMatchObject({ reason: expect.stringContaining(words) });
		expect(outcome.is === "failure" && outcome.reason).not.toMatch(/\n/);
		expect(call.deltas[0]).toEqual({ kind: "text", text: "half an" });
	},
);

test("an answer cut by max_tokens in the middle of a call keeps its text and loses the call", async () => {
	const cut = { type: "tool_use" as const, id: "toolu_1", name: "bash", json: '{"command":"rm -rf /home/us' };
	const { model } = await open(() => ({ content: [...say("half").content, cut], stopReason: "max_tokens" }));
	expect(await model.ask(asksWith(FIRST), fakeCall())).toMatchObject({
		is: "reply",
		stopReason: "max_tokens",
		content: [{ type: "text", text: "half" }],
	});
});

test("an abort in mid-stream ends the call as a failure and closes its connection", async () => {
	const abort = new AbortController();
	const { api, model } = await open(() => ({
		...say("a long answer that never ends"),
		beforeEvent: (event) => (event === "message_stop" ? new Promise(() => {}) : undefined),
	}));
	const call = fakeCall({ signal: abort.signal, onDelta: () => abort.abort() });
	expect(await model.ask(asksWith(FIRST), call)).toMatchObject({ is: "failure", reason: "the call was stopped" });
	await api.requests[0]?.over;
	const late = fakeCall({ signal: AbortSignal.abort() });
	expect(await model.ask(asksWith(FIRST), late)).toMatchObject({ is: "failure", reason: "the call was stopped" });
	expect(api.requests.length).toBe(1);
});

test("a service that falls silent, before its answer or within it, is given up", async () => {
	const silent = {
		is: "failure",
		exitCode: 75,
		reason: "the service was silent for too long, so the call was given up",
	};
	const before = await open(() => ({ silence: true }), { maxSilenceMs: 300 });
	expect(await before.model.ask(asksWith(FIRST), fakeCall())).toMatchObject(silent);
	const within = await open(
		() => ({ ...say("x"), beforeEvent: (event) => (event === "message_delta" ? new Promise(() => {}) : undefined) }),
		{ maxSilenceMs: 300 },
	);
	expect(await within.model.ask(asksWith(FIRST), fakeCall())).toMatchObject({ ...silent, usage: { input: 10 } });
});

test("calls side by side do not mix", async () => {
	const { model } = await open(({ body }) => say(`for ${body.system}`));
	const answers = await Promise.all(
		["a", "b", "c", "d"].map((system) => model.ask(asksWith(FIRST, { system }), fakeCall())),
	);
	expect(answers.map((outcome) => outcome.is === "reply" && outcome.content)).toEqual(
		["a", "b", "c", "d"].map((system) => say(`for ${system}`).content),
	);
});

const PROGRAM = `
import { openAnthropic } from ${JSON.stringify(fileURLToPath(new URL("../../src/models/anthropic.ts", import.meta.url)))};
const model = openAnthropic("claude-opus-5-5", { apiKey: "given-key", baseUrl: process.argv[2] });
const messages = [{ role: "user", content: [{ type: "text", text: "x" }] }];
let onDelta = () => {};
const call = { agent: "1", task: "x", turn: 1, signal: new AbortController().signal, onDelta: () => onDelta(), lastOutput: async () => undefined };
const ask = () => model.ask({ system: "s", tools: [], messages, mayUseTools: true }, call);
const first = await ask();
onDelta = () => model.close();
const second = await ask();
console.log(JSON.stringify({ first: first.is, second: second.reason }));
`;

test("the environment neither redirects it nor makes it print, and after close nothing holds the process, not even a call under way", async () => {
	const directory = await mkdtemp(join(tmpdir(), "agentree-anthropic-"));
	onTestFinished(() => rm(directory, { recursive: true }));
	const entry = join(directory, "entry.mjs");
	const program = join(directory, "program.mjs");
	await writeFile(entry, PROGRAM);
	const node = { bundle: true, platform: "node", format: "esm", logLevel: "silent" } as const;
	await build({ ...node, entryPoints: [entry], outfile: program });
	const hold = (event: string) => (event === "message_stop" ? new Promise<void>(() => {}) : undefined);
	const api = await startFakeApi((_, n) => ({ ...say("ok"), ...(n === 2 && { beforeEvent: hold }) }));
	onTestFinished(() => api.close());
	const environment = {
		PATH: process.env.PATH,
		HOME: directory,
		ANTHROPIC_LOG: "debug",
		ANTHROPIC_API_KEY: "key-of-the-environment",
		ANTHROPIC_AUTH_TOKEN: "token-of-the-environment",
		ANTHROPIC_BASE_URL: "http://127.0.0.1:9",
	};
	const printed = vi.fn();
	await new Promise<void>((ended) => {
		const child = execFile(process.execPath, [program, api.url], { env: environment }, (_, stdout, stderr) => {
			printed(stdout, stderr);
			ended();
		});
		onTestFinished(() => void child.kill("SIGKILL"));
	});
	expect(printed).toHaveBeenCalledWith('{"first":"reply","second":"the call was stopped"}\n', "");
	expect(api.requests[0]?.headers.authorization).toBe("Bearer given-key");
});
