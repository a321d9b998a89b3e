/** `agent models` and `agent doctor --online`: what services say when they are asked. */

import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { asksWith, FIRST, fakeCall } from "../../fixtures/fake-call.ts";
import { chatSays, startFakeChatApi } from "../../fixtures/fake-chat-api.ts";
import { openHostedWithApi } from "../../fixtures/hosted-with-api.ts";
import { runProgram, temporaryHome } from "../program.ts";

async function startLab(models: unknown) {
	const api = await startFakeChatApi(() => chatSays("x"), { models });
	onTestFinished(() => api.close());
	return api;
}

/** Answers each GET of a list of the other protocol. */
async function startClaude(status: number, json: unknown) {
	const keys: unknown[] = [];
	const server = createServer((request, response) => {
		keys.push([request.url, request.headers["x-api-key"], request.headers["anthropic-version"]]);
		response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(json));
	});
	await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
	onTestFinished(() => void server.close());
	return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, keys };
}

function homeWith(config: string): { home: string; env: Record<string, string> } {
	const home = temporaryHome();
	writeFileSync(join(home, "config.yaml"), config);
	// No service of this machine is to be found by chance.
	const nowhere = { OLLAMA_BASE_URL: "", VLLM_BASE_URL: "" };
	return { home, env: { ...nowhere, AGENTREE_CONFIG: join(home, "config.yaml") } };
}

const LISTED = {
	data: [
		{ id: "big", max_model_len: 32_768 },
		{ id: "own" },
		{ id: "priced", context_length: 200_000, pricing: { prompt: "0.000003", completion: "0.000015" } },
		{ id: "evil\u001b[31m" },
	],
};

test("all services are asked with their own keys, and one that does not answer hides none of the others", async () => {
	const lab = await startLab(LISTED);
	const claude = await startClaude(200, { data: [{ id: "claude-sonnet-5-5", type: "model" }] });
	const { home, env } = homeWith(`providers:
  lab:
    base_url: ${lab.url}
    key_env: LAB_KEY
    prices: { own: { input: 1, output: 2.5, context_tokens: 9000 } }
  away: { base_url: "http://127.0.0.1:2/v1" }
`);
	const keys = { LAB_KEY: "key-of-the-lab", ANTHROPIC_API_KEY: "key-of-claude", ANTHROPIC_BASE_URL: claude.url };
	const end = await runProgram(["models"], { home, env: { ...env, ...keys } });
	expect(end.stdout.split("\n")).toEqual([
		"CONTEXT  $/M IN  $/M OUT  MODEL",
		"   1.0M       2       10  claude-sonnet-5-5",
		"  32.8k       ?        ?  lab/big",
		"   9.0k       1      2.5  lab/own",
		" 200.0k       3       15  lab/priced",
		"      ?       ?        ?  lab/evil",
		"",
	]);
	expect([end.exit, end.stderr]).toEqual([
		0,
		expect.stringMatching(/^agent: away: the service is out of reach: http:\/\/127\.0\.0\.1:2: [^\n]*\n$/),
	]);
	expect(lab.lists.map(({ headers }) => [headers.authorization, headers["x-api-key"]])).toEqual([
		["Bearer key-of-the-lab", undefined],
	]);
	expect(claude.keys).toEqual([["/v1/models?limit=1000", "key-of-claude", expect.anything()]]);
	const json = await runProgram(["models", "lab", "--json"], { home, env: { ...env, ...keys } });
	expect(JSON.parse(json.stdout)).toMatchObject({
		models: [{ name: "lab/big", context_tokens: 32_768, input_usd_per_million: null }, {}, {}, {}],
		services: [{ service: "lab", address: lab.url, ok: true, models: 4 }],
	});
});

test("without any key, for a service that nobody has described, and when none answers, it is said what to do", async () => {
	const { home, env } = homeWith("providers:\n  away: { base_url: 'http://127.0.0.1:2/v1' }\n");
	expect(await runProgram(["models"], { home, env: {} })).toMatchObject({
		exit: 77,
		stdout: "",
		stderr: expect.stringMatching(/^agent: no service configured: export ANTHROPIC_API_KEY=…/),
	});
	expect(await runProgram(["models", "lab"], { home, env })).toMatchObject({
		exit: 2,
		stderr: expect.stringMatching(
			/unknown service lab; available: away; to add a service lab, describe it under "providers" in .*config\.yaml/,
		),
	});
	expect(await runProgram(["models", "openai"], { home, env })).toMatchObject({
		exit: 77,
		stderr: expect.stringContaining("no key for the service openai: export OPENAI_API_KEY=…"),
	});
	expect(await runProgram(["models"], { home, env })).toMatchObject({ exit: 75, stdout: "" });
});

test("doctor calls each service once, when it is told to, and says what came", async () => {
	const lab = await startLab(LISTED);
	const refusing = await startClaude(401, { error: { type: "authentication_error", message: "invalid x-api-key" } });
	const { home, env } = homeWith(`providers:\n  lab: { base_url: "${lab.url}", key_env: LAB_KEY }\n`);
	const keys = { LAB_KEY: "key-of-the-lab", ANTHROPIC_API_KEY: "key-of-claude", ANTHROPIC_BASE_URL: refusing.url };
	const run = async (...args: string[]) => {
		const { stdout, exit } = await runProgram(["doctor", ...args], { home, env: { ...env, ...keys } });
		return { exit, lines: stdout.split("\n") };
	};
	const offline = await run();
	expect(offline.lines.join("\n")).not.toContain("online");
	expect(offline.lines.find((line) => line.includes("  key  "))).toContain("ANTHROPIC_API_KEY, LAB_KEY are set");
	expect(offline.lines.find((line) => line.includes("configuration"))).toContain("; services: lab");
	expect(offline.lines.some((line) => line.includes("service") && line.includes(lab.url))).toBe(true);
	expect([lab.lists.length, refusing.keys.length]).toEqual([0, 0]);
	const { exit, lines } = await run("--online");
	expect(lines.filter((line) => line.includes("online"))).toEqual([
		expect.stringMatching(
			/^fail {2}online +anthropic \(http\S+\): invalid x-api-key \(HTTP 401, authentication_error\); .*check ANTHROPIC_API_KEY/,
		),
		`ok    online           lab (${lab.url}): 4 models`,
	]);
	expect([exit, lab.lists.length, refusing.keys.length]).toEqual([1, 1, 1]);
});

test("a name that a service does not know is told with the nearest of those that it has", async () => {
	const unknown = { status: 404, json: { error: { message: "The model does not exist", code: "model_not_found" } } };
	const { api, model } = await openHostedWithApi(() => unknown, {
		name: "lab/llama-3.3-70b",
		models: { data: [{ id: "llama-3.3-70b-versatile" }, { id: "other" }, { id: "third" }] },
	});
	expect(await model.ask(asksWith(FIRST), fakeCall())).toMatchObject({
		exitCode: 1,
		reason: expect.stringMatching(/; did you mean lab\/llama-3\.3-70b-versatile\?$/),
	});
	expect(api.lists.length).toBe(1);
});
