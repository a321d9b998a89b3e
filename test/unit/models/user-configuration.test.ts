import { expect, test } from "vitest";
import { factsOf } from "../../../src/models/catalogue.ts";
import { costOf } from "../../../src/models/provider/model-facts.ts";
import { parseProjectSettings, parseUserConfiguration } from "../../../src/models/user-configuration.ts";

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

test.each(['notify: ""', "notify: [a]", "notify: {}"])("%s is told with its place", (text) => {
	expect(() => notifyIn(text)).toThrow(/^c\.yaml:1:\d+: /);
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

test.each(["", "# nothing\n"])("of %j there is nothing", (text) => {
	expect(parseProjectSettings(text, "c.yaml")).toEqual({ ask: [], deny: [], notices: [] });
});

test.each([
	["permissions:\n  deny: ['Read(x)']\n", "c.yaml:2:10: the rule Read(x)"],
	["permissions:\n  denied: [rm]\n", "c.yaml:2:3"],
	["permissions: [", "c.yaml:1:"],
	["- x\n", "c.yaml:1:1"],
])("%j is an error that says where it stands", (text, expected) => {
	expect(() => parseProjectSettings(text, "c.yaml")).toThrow(expected);
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

test.each([
	["sandbox: {mode: on}", "c.yaml:1:17: one of off, workspace, read-only, required is expected"],
	["sandbox: {net: all}", "c.yaml:1:16: one of host, proxy, none is expected"],
	["sandbox: {deny_read: .env}", "c.yaml:1:22: a list is expected"],
	['sandbox: {deny_read: [""]}', "c.yaml:1:23: a text is expected"],
	["sandbox: {write: [a]}", /^c\.yaml:1:11: unknown key "write"/],
])("%j is wrong", (text, problem) => {
	expect(() => sandboxIn(text)).toThrow(problem);
});
