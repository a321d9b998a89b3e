/** Trees of the whole program whose agents think with models of two services. */
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { OPENAI } from "../../../src/models/openai/provider.ts";
import { asksWith, FIRST, fakeCall } from "../../fixtures/fake-call.ts";
import {
	type ChatAnswer,
	type ChatRequest,
	chatCall,
	chatSays,
	chunk,
	startFakeChatApi,
} from "../../fixtures/fake-chat-api.ts";
import { readTranscript } from "../../fixtures/read-transcript.ts";
import { KEY, runs, says, startService } from "../api/api-run.ts";
import { type ProgramOptions, runProgram, startProgram, temporaryHome } from "../program.ts";

const LAB_KEY = "lab-dummy-key-81f2a6";

async function startLab(answer: (request: ChatRequest, n: number) => ChatAnswer) {
	const api = await startFakeChatApi(answer);
	onTestFinished(() => api.close());
	return api;
}

/** A home whose configuration file has the service `lab`. */
function homeWith(url: string, more = ""): { home: string; env: Record<string, string> } {
	const home = temporaryHome();
	const config = join(home, "config.yaml");
	writeFileSync(config, `providers:\n  lab:\n    base_url: ${url}\n    key_env: LAB_KEY\n${more}`);
	return { home, env: { AGENTREE_CONFIG: config, LAB_KEY } };
}

const lastOf = ({ body }: ChatRequest) => body.messages.at(-1)?.content ?? "";

test("a run thinks with a service of the configuration file, and runs what its calls ask for", async () => {
	const lab = await startLab((_, n) =>
		n === 1 ? chatSays("I look.", { calls: [chatCall("a", "echo one; exit 3")] }) : chatSays("done"),
	);
	const { home, env } = homeWith(lab.url);
	expect(await runProgram(["run", "--model", "lab/big", "look"], { home, env })).toEqual({
		exit: 0,
		stdout: "done\n",
		stderr: "",
	});
	expect(lab.requests.map(({ refusal }) => refusal)).toEqual([undefined, undefined]);
	expect(lastOf(lab.requests[1] as ChatRequest)).toMatch(/^one\n[\s\S]*3/);
});

test("a child has another service's model than its parent, one budget binds both, and the transcripts have one shape", async () => {
	const lab = await startLab(() => chatSays("forty-two", { usage: { prompt_tokens: 1000, completion_tokens: 100 } }));
	const { home, env } = homeWith(lab.url, "    prices: { small: { input: 1, output: 10 } }\n");
	const api = await startService({
		look: [
			{ content: [runs("toolu_1", 'agent -m lab/small "count"')], usage: { input: 1000, output: 100 } },
			{ content: [says("all")], usage: { input: 1000, output: 100 } },
		],
	});
	const options: ProgramOptions = { home, env: { ...env, ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: api.url } };
	const program = startProgram(["run", "--max-budget-usd", "1", "--output-format", "json", "look"], options);
	const { stdout, code } = await program.ended;
	expect(code).toBe(0);
	const sonnet = 2 * (1000 * 2 + 100 * 10);
	expect(JSON.parse(stdout.toString()).total_cost_usd).toBeCloseTo((sonnet + 1000 * 1 + 100 * 10) / 1e6, 9);
	const directory = await program.runDirectory();
	const [, answer] = readTranscript(directory, "1.1").values;
	expect(answer).toMatchObject({
		role: "assistant",
		model: "lab/served",
		content: [{ type: "text", text: "forty-two" }],
		stopReason: "end_turn",
	});
	expect(lab.requests[0]?.body.max_tokens).toBeGreaterThan(0); // an answer without a bound could exceed the budget
});

test("a child whose model has no known price may not start under a budget in dollars, and one without a key fails alone", async () => {
	const lab = await startLab(() => chatSays("x"));
	const { home, env } = homeWith(lab.url);
	const run = (line: string, args: string[], own = {}) =>
		runProgram(["run", "--model", "shell", ...args, line], { home, env: { ...env, ...own } });
	const unpriced = await run('agent -m lab/big "x"; echo "code $?"', ["--max-budget-usd", "1"]);
	expect(unpriced.stdout).toMatch(/the price of the model lab\/big[^\n]*\ncode 2\n$/);
	const keyless = await run('agent -m groq/x "x"; echo "code $?"', []);
	expect(keyless.stdout).toMatch(/no key for the model groq\/x: set GROQ_API_KEY[^\n]*\ncode 77\n$/);
	const refused = await run('agent -m openai/ "x"; agent -m opnai/x "x"; agent -m gpt-5 "x"; echo "code $?"', []);
	expect(refused.stdout).toMatch(
		/no model in the name openai\/: [\s\S]*did you mean openai\/x\? [\s\S]*did you mean openai\/gpt-5\? [^\n]*\ncode 2\n$/,
	);
	expect(lab.requests.length).toBe(0);
});

// Seen to fail (the whole run ends) while a key that any service refuses ended the run.
test("a key that another service refuses ends the agent that asked it, and the run goes on", async () => {
	const lab = await startLab(() => ({ status: 401, json: { error: { message: "bad key" } } }));
	const { home, env } = homeWith(lab.url);
	const api = await startService({
		look: [{ content: [runs("toolu_1", 'agent -m lab/big "x"; echo "code $?"')] }, { content: [says("on my own")] }],
	});
	const end = await runProgram(["run", "look"], {
		home,
		env: { ...env, ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: api.url },
	});
	expect(end).toEqual({ exit: 0, stdout: "on my own\n", stderr: "" });
	const result = api.requests[1]?.body.messages.at(-1)?.content[0];
	expect(result?.type === "tool_result" && result.content).toMatch(
		/bad key \(HTTP 401[^\n]*check LAB_KEY[^\n]*\ncode 77\n$/,
	);
});

test("keys of all services stay with the supervisor: no command, no file and no words have one", async () => {
	const lab = await startLab((_, n) =>
		n === 1
			? chatSays(`It is ${LAB_KEY}.`, { calls: [chatCall("a", "env")] })
			: { status: 400, json: { error: { message: `bad ${LAB_KEY}` } } },
	);
	const { home, env } = homeWith(lab.url);
	const others = {
		OPENAI_API_KEY: "openai-dummy-key-1",
		DEEPSEEK_API_KEY: "deepseek-dummy-key-2",
		OPENAI_ORG_ID: "org-dummy-3",
	};
	const program = startProgram(["run", "--model", "lab/big", "look"], { home, env: { ...env, ...others } });
	const { code, stdout, stderr } = await program.ended;
	expect([code, stderr.toString()]).toEqual([1, expect.stringContaining("bad [redacted]")]);
	const files = filesBelow(await program.runDirectory()).map((path) => readFileSync(path, "utf8"));
	const log = files.find((text) => text.includes("AI_AGENT=agentree"));
	expect(log).not.toMatch(/LAB_KEY|OPENAI_|DEEPSEEK_/);
	for (const text of [...files, stdout.toString(), stderr.toString()]) expect(text).not.toMatch(/dummy/);
	expect(lab.requests[0]?.headers).not.toHaveProperty("openai-organization");
});

test("a call that the service cut is never run, and the model is told so", async () => {
	const cut = {
		chunks: [
			chunk({ tool_calls: [{ index: 0, id: "a", function: { name: "bash", arguments: '{"command":"touch nev' } }] }),
			chunk({}, "length"),
		],
	};
	const lab = await startLab((_, n) => (n === 1 ? cut : chatSays("done")));
	const { home, env } = homeWith(lab.url);
	const program = startProgram(["run", "--model", "lab/big", "look"], { home, env });
	expect((await program.ended).code).toBe(0);
	expect(program.events().some(({ event }) => event === "command_started")).toBe(false);
	expect(lastOf(lab.requests[1] as ChatRequest)).toContain("smaller command");
});

test("a file of keys brings its own, and none of the environment goes to an address that a file names", async () => {
	const lab = await startLab(() => chatSays("done"));
	const home = temporaryHome();
	const run = (text: string) => {
		writeFileSync(join(home, "my.env"), text);
		return runProgram(["run", "--model", "openai/x", "--env-file", "my.env", "look"], {
			home,
			env: { OPENAI_API_KEY: "of-the-environment" },
		});
	};
	expect(await run(`OPENAI_BASE_URL=${lab.url}\n`)).toMatchObject({
		exit: 2,
		stderr: expect.stringContaining("sets OPENAI_BASE_URL but no key"),
	});
	expect(lab.requests.length).toBe(0);
	expect(await run(`OPENAI_BASE_URL=${lab.url}\nOPENAI_API_KEY=of-the-file\n`)).toMatchObject({ exit: 0 });
	expect(lab.requests.map(({ headers }) => headers.authorization)).toEqual(["Bearer of-the-file"]);
});

test("a run that goes on with a model of another service sends it no thinking of the first", async () => {
	const lab = await startLab((_, n) =>
		n === 1
			? { chunks: [chunk({ reasoning_content: "secret thought" }), chunk({ content: "hello" }), chunk({}, "stop")] }
			: chatSays("again"),
	);
	const { home, env } = homeWith(lab.url);
	const api = await startService({
		look: [
			{ content: [says("?")] },
			{ content: [{ type: "thinking", thinking: "deep", signature: "EqQB" }, says("on")] },
		],
	});
	const options = { home, env: { ...env, ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: api.url } };
	const first = startProgram(["run", "--model", "lab/big", "look"], options);
	expect((await first.ended).code).toBe(0);
	const id = (await first.runDirectory()).split("/").at(-1) ?? "";
	const onward = await runProgram(["resume", id, "--model", "claude-sonnet-5-5", "and now?"], options);
	expect(onward).toMatchObject({ exit: 0, stdout: "on\n" });
	expect(api.requests[0]?.raw).not.toContain("secret thought");
	expect(await runProgram(["resume", id, "--model", "lab/big", "and then?"], options)).toMatchObject({
		exit: 0,
		stdout: "again\n",
	});
	expect(lab.requests[1]?.raw).not.toMatch(/deep|secret thought/);
	expect([...api.requests, ...lab.requests].map(({ refusal }) => refusal)).toEqual([undefined, undefined, undefined]);
});

test("with an address of one's own for all names, a name whose service has no key is left to that", async () => {
	const home = temporaryHome();
	const api = await startService({ look: [{ content: [says("from the gateway")] }] });
	const env = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: api.url };
	expect(await runProgram(["run", "--model", "openai/gpt-5", "look"], { home, env })).toMatchObject({
		exit: 0,
		stdout: "from the gateway\n",
	});
	expect(api.requests[0]?.body.model).toBe("openai/gpt-5");
});

function filesBelow(directory: string): string[] {
	return readdirSync(directory, { recursive: true, encoding: "utf8" })
		.map((name) => join(directory, name))
		.filter((path) => statSync(path).isFile());
}

test("a command gives the key where no variable has it, once for a run, and nobody is shown it", async () => {
	const lab = await startLab((_, n) =>
		n === 1 ? chatSays("printed-key-12345", { calls: [chatCall("a", "agent 'sub'")] }) : chatSays("done"),
	);
	const { home, env } = homeWith(lab.url, "    key_command: echo x >> asked; echo printed-key-12345\n");
	const { LAB_KEY: _, ...keyless } = env;
	const program = startProgram(["run", "--model", "lab/big", "look"], { home, env: keyless });
	expect((await program.ended).stdout.toString()).toBe("done\n");
	expect(lab.requests.map(({ headers }) => headers.authorization)).toEqual(Array(3).fill("Bearer printed-key-12345"));
	expect(readFileSync(join(home, "asked"), "utf8")).toBe("x\n");
	for (const path of filesBelow(await program.runDirectory()))
		expect(readFileSync(path, "utf8")).not.toContain("printed-key");
	const fails = homeWith(lab.url, "    key_command: echo locked >&2; false\n");
	const end = await runProgram(["run", "--model", "lab/big", "look"], {
		home: fails.home,
		env: { AGENTREE_CONFIG: fails.env.AGENTREE_CONFIG ?? "" },
	});
	expect(end).toEqual({
		exit: 77,
		stdout: "",
		stderr: "agent: providers.lab.key_command returned no key: it ended with 1: locked\n",
	});
});

/** A model whose key a command prints; the first one has run out, the second one is good. */
async function modelWithOldKey() {
	let clock = 0;
	const used: unknown[] = [];
	const lab = await startLab(({ headers }) => {
		used.push(headers.authorization);
		return headers.authorization === "Bearer token-number-2"
			? chatSays("ok")
			: { status: 401, json: { error: { message: "expired" } } };
	});
	const directory = temporaryHome();
	const keyCommand = `echo x >> ${directory}/asked; echo token-number-$(wc -l < ${directory}/asked)`;
	const hosts = [{ name: "lab", baseUrl: lab.url, keyCommand }];
	const environment = { PATH: process.env.PATH };
	const model = await OPENAI.open("lab/one", {
		credentials: {},
		hosts,
		environment,
		maxSilenceMs: 20_000,
		now: () => clock,
	});
	onTestFinished(() => model.close());
	return {
		...{ used, ask: () => model.ask(asksWith(FIRST), fakeCall()) },
		passes: (ms: number) => {
			clock += ms;
		},
	};
}

test("a key of a command that has run out is fetched anew", async () => {
	const { used, ask, passes } = await modelWithOldKey();
	expect(await ask()).toMatchObject({ exitCode: 77, stopsRun: true }); // it is a new one
	passes(60_000);
	expect(await ask()).toMatchObject({ retry: { afterMs: 0 } });
	expect(await ask()).toMatchObject({ is: "reply" });
	expect(used).toEqual(["Bearer token-number-1", "Bearer token-number-1", "Bearer token-number-2"]);
});

// Seen to fail: the second call found that the key was just being fetched, and its failure stopped the run.
test("calls side by side whose key has run out are all made again with the one that the first of them fetches", async () => {
	const { used, ask, passes } = await modelWithOldKey();
	passes(60_000);
	const failures = await Promise.all([ask(), ask(), ask()]);
	for (const failure of failures) {
		expect(failure).toMatchObject({ exitCode: 75, retry: { afterMs: 0 } });
		expect(failure).not.toHaveProperty("stopsRun");
	}
	expect(await ask()).toMatchObject({ is: "reply" });
	expect(used).toEqual([...Array(3).fill("Bearer token-number-1"), "Bearer token-number-2"]);
});

test("keys of another tool's file are used when it is named, in place of those of the environment", async () => {
	const lab = await startLab(() => chatSays("ok"));
	const { home, env } = homeWith(lab.url);
	const file = join(home, "auth.json");
	const run = (text: string, ...args: string[]) => {
		writeFileSync(file, text);
		return runProgram(["run", "--model", "lab/big", "--credentials-file", file, ...args, "look"], { home, env });
	};
	expect(await run('{"lab": {"type": "api", "key": "key-of-the-tool"}}')).toMatchObject({ exit: 0, stdout: "ok\n" });
	expect(lab.requests[0]?.headers.authorization).toBe("Bearer key-of-the-tool");
	expect(await run("no JSON")).toMatchObject({
		exit: 2,
		stderr: `agent: --credentials-file ${file}: not a JSON object\n`,
	});
	expect(await run('{"claudeAiOauth": {}}')).toMatchObject({
		exit: 2,
		stderr: expect.stringContaining("it has no API key of a known service"),
	});
	expect(await run("{}", "--env-file", file)).toMatchObject({ exit: 2, stderr: expect.stringContaining("contradict") });
});
