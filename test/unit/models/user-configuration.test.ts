import { expect, test } from "vitest";
import { factsOf } from "../../../src/models/catalogue.ts";
import { costOf } from "../../../src/models/provider/model-facts.ts";
import { parseProjectSettings, parseUserConfiguration } from "../../../src/models/user-configuration.ts";
import { rowsOf } from "../rows-of.ts";

const notifyIn = (text: string) => parseUserConfiguration(text, "c.yaml").notify;

test("a person is told by a bell, unless the file says how else", () => {
	expect(notifyIn("")).toEqual({ is: "bell" });
	expect(notifyIn("prices: {}")).toEqual({ is: "bell" });
	expect(notifyIn("notify: bell")).toEqual({ is: "bell" });
	expect(notifyIn("notify: off")).toEqual({ is: "off" });
	expect(notifyIn("notify: false")).toEqual({ is: "off" });
	expect(notifyIn('notify: notify-send agentree "$AGENTREE_NOTICE"')).toEqual({
		...{ is: "command", command: 'notify-send agentree "$AGENTREE_NOTICE"' },
	});
});

test("a project asks and denies, and what else it says has no effect", () => {
	const text =
		'permissions:\n  ask: ["Bash(make *)"]\n  deny: [rm]\n  allow: [ls]\nsandbox: { mode: off }\nask: never\n';
	expect(parseProjectSettings(text, "c.yaml")).toEqual({
		...{ ask: ["Bash(make *)"], deny: ["rm"] },
		notices: [
			"c.yaml: its allow rules are ignored: a project can only ask and deny",
			"c.yaml: only permissions are used, not sandbox, ask",
		],
	});
});

test("in a project's file there may be nothing, and what is wrong is told with its place", () => {
	const none = { ask: [], deny: [], notices: [] };
	for (const text of ["", "# nothing\n"]) expect(parseProjectSettings(text, "c.yaml")).toEqual(none);
	const wrong = {
		"permissions: {deny: ['Read(x)']}": "1:22: the rule Read(x)",
		"permissions: {denied: [rm]}": "1:15",
		"- x": "1:1",
	};
	for (const [text, where] of Object.entries(wrong))
		expect(() => parseProjectSettings(text, "c.yaml")).toThrow(`c.yaml:${where}`);
});

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

// In `L{…}` stands what is said of a provider behind its address, and in `M{…}` what is said of a model's price.
test.each(
	rowsOf(`
	notify: "" | 1:9: a command, bell or off is expected
	notify: [a] | 1:9: a text is expected
	providers: { lab: { key_env: A } } | 1:19: base_url is missing
	providers: { 'a/b': { base_url: http://h } } | 1:21: a provider has a name of letters, digits, -, _ and .
	L{ key: k } | 1:41: unknown key "key"; known here: base_url, key_env,
	L{ key_env: sk-1 } | 1:50: the name of an environment variable is expected here, not a key
	L{ protocol: grpc } | 1:51: one of chat, responses is expected
	L{ flags: { effort: 7 } } | 1:58: one of none, reasoning_effort, reasoning is expected
	L{ headers: { 'a b': c } } | 1:59: not a header
	L{ headers: { Content-Length: 3 } } | 1:68: each call has its own Content-Length
	providers: [lab] | 1:12: a mapping is expected
	provider: {} | 1:1: unknown key "provider"; known here: prices, providers
	prices: [1] | 1:9: a mapping is expected
	prices: { m: 5 } | 1:14: a mapping with input, output, cache_read, cache_write, context_tokens
	M{ input: 1 } | 1:14: output is missing
	M{ output: 1 } | 1:14: input is missing
	M{ input: -1, output: 1 } | 1:23: dollars for a million tokens are expected
	M{ input: .inf, output: 1 } | 1:23: dollars for a million tokens are expected
	M{ input: .nan, output: 1 } | 1:23: dollars for a million tokens are expected
	M{ input: 1€, output: 1 } | 1:23: a number is expected
	M{ input: 1, output: 1, cash: 1 } | 1:37: unknown key "cash"
	M{ input: 1, output: 1, context_tokens: 0 } | 1:53: 1 or more is expected
	M{ input: 1, output: 1, above: { input: 1, output: 1 } } | 1:44: prompt_tokens is missing
	prices: { | 1:10:
	sandbox: {mode: on} | 1:17: one of off, workspace, read-only, required is expected
	sandbox: {net: all} | 1:16: one of host, proxy, none is expected
	sandbox: {deny_read: .env} | 1:22: a list is expected
	sandbox: {deny_read: [""]} | 1:23: a text is expected
	sandbox: {write: [a]} | 1:11: unknown key "write"`),
)("what is wrong in %s is told with its place", (short = "", complaint) => {
	const text = short
		.replace(/^L\{(.*)/, "providers: { lab: { base_url: http://h,$1 }")
		.replace(/^M(.*)/, "prices: { m: $1 }");
	expect(() => parse(text)).toThrow(`c.yaml:${complaint}`);
});

const sandboxIn = (text: string) => parseUserConfiguration(text, "c.yaml").sandbox;

test.each([
	["", undefined],
	["notify: off", undefined],
	["sandbox:", undefined],
	["sandbox: {mode: read-only}", { mode: "read-only" }],
	["sandbox: {mode: off}", { mode: "off" }],
	["sandbox: {mode: required, net: none}", { mode: "workspace", isRequired: true, network: "none" }],
	["sandbox: {allow_write: [~/cache], deny_read: [.env, 1]}", { allowWrite: ["~/cache"], denyRead: [".env", "1"] }],
	["sandbox: {allow_read: [~/.npmrc]}", { allowRead: ["~/.npmrc"] }],
	["sandbox: {allow_hosts: [a.org]}", { network: "proxy", allowHosts: ["a.org"] }],
])("%j", (text, expected) => {
	expect(sandboxIn(text)).toEqual(expected);
});
