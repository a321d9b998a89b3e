import { expect, test } from "vitest";
import { factsOf } from "../../../src/models/catalogue.ts";
import { costOf } from "../../../src/models/provider/model-facts.ts";
import { parseUserConfiguration } from "../../../src/models/user-configuration.ts";

const parse = (text: string) => parseUserConfiguration(text, "c.yaml");

test("a provider has what its calls need, and prices and sizes of its models", () => {
	const { hosts, prices } = parse(`providers:
  lab:
    base_url: https://llm.lab.example/v1
    key_env: [LAB_KEY, LAB_KEY_2]
    key_command: pass show lab
    headers: { api-key: $LAB_KEY, x-project: mine }
    protocol: responses
    flags: { max_tokens: max_completion_tokens, stream_usage: false, thinking_back: reasoning_content }
    prices: { big: { input: 2, output: 4, context_tokens: 200000, max_output_tokens: 9000 } }
    windows: { lab/small: 32768 }
  deepseek: { key_env: none }
`);
	expect(hosts).toEqual([
		{
			...{ name: "lab", baseUrl: "https://llm.lab.example/v1", keyVariables: ["LAB_KEY", "LAB_KEY_2"] },
			...{ keyCommand: "pass show lab", protocol: "responses" },
			headers: { "api-key": "$LAB_KEY", "x-project": "mine" },
			flags: { maxTokens: "max_completion_tokens", streamUsage: false, thinkingBack: "reasoning_content" },
		},
		{ name: "deepseek", keyVariables: [] },
	]);
	const usage = { input: 1_000_000, output: 0, cacheRead: 0, cacheWrite: 1_000_000 };
	const big = factsOf("lab/big", prices);
	expect([big.contextTokens, big.maxAnswerTokens, costOf(big.price, usage)]).toEqual([200_000, 9000, 4]);
	const small = factsOf("lab/small-2026-10-01", prices);
	expect([small.contextTokens, small.price]).toEqual([32_768, { is: "unknown" }]);
});

test.each([
	["providers: { lab: { key_env: A } }", "c.yaml:1:19: base_url is missing"],
	["providers: { 'a/b': { base_url: http://h } }", "c.yaml:1:21: a provider has a name of letters, digits, -, _ and ."],
	[
		"providers: { lab: { base_url: http://h, key: k } }",
		'c.yaml:1:41: unknown key "key"; known here: base_url, key_env,',
	],
	[
		"providers: { lab: { base_url: http://h, key_env: sk-1 } }",
		"c.yaml:1:50: the name of an environment variable is expected here, not a key",
	],
	["providers: { lab: { base_url: http://h, protocol: grpc } }", "c.yaml:1:51: one of chat, responses is expected"],
	[
		"providers: { lab: { base_url: http://h, flags: { effort: 7 } } }",
		"c.yaml:1:58: one of none, reasoning_effort, reasoning is expected",
	],
	["providers: { lab: { base_url: http://h, headers: { 'a b': c } } }", "c.yaml:1:59: not a header"],
	[
		"providers: { lab: { base_url: http://h, headers: { Content-Length: 3 } } }",
		"c.yaml:1:68: each call has its own Content-Length",
	],
	["providers: [lab]", "c.yaml:1:12: a mapping is expected"],
	["provider: {}", 'c.yaml:1:1: unknown key "provider"; known here: prices, providers'],
])("what is wrong in %s is told with its place", (text, complaint) => {
	expect(() => parse(text)).toThrow(complaint);
});
