import { expect, test } from "vitest";
import { type CommandPlace, commandEnvironment, withoutKeys } from "../../../../src/agent/bash/environment.ts";

const PLACE: CommandPlace = {
	run: "20261127-201530-k3f9",
	agent: "1",
	command: 3,
	token: "secret",
	socket: "/tmp/agentree-1000/k3f9",
	shimDirectory: "/run/bin",
	home: "/home/me/.local/state/agentree",
};

const at = (agent: string, command: number, base: Record<string, string> = {}) =>
	commandEnvironment(base, { ...PLACE, agent, command });

test("a command knows its place in the tree and finds the program first in PATH", () => {
	expect(commandEnvironment({ PATH: "/usr/bin:/bin", HOME: "/home/me" }, PLACE)).toMatchObject({
		HOME: "/home/me",
		PATH: "/run/bin:/usr/bin:/bin",
		AGENTREE_SOCKET: "/tmp/agentree-1000/k3f9",
		AGENTREE_TOKEN: "secret",
		AGENTREE_AGENT: "20261127-201530-k3f9/1",
		AGENTREE_COMMAND: "3",
		AGENTREE_TRAIL: "20261127-201530-k3f9 1:3",
		AGENTREE_HOME: "/home/me/.local/state/agentree",
		AI_AGENT: "agentree",
	});
});

test("no command opens a pager, an editor or a question, or prints colors", () => {
	const environment = commandEnvironment({ EDITOR: "vi", PAGER: "less", TERM: "xterm", FORCE_COLOR: "1" }, PLACE);
	expect(environment).toMatchObject({
		PAGER: "cat",
		GIT_PAGER: "cat",
		GIT_TERMINAL_PROMPT: "0",
		NO_COLOR: "1",
		TERM: "dumb",
	});
	for (const name of ["EDITOR", "VISUAL", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR"])
		expect(environment[name]).toMatch(/no editor can be opened here.*exit 1/);
	expect(environment).not.toHaveProperty("FORCE_COLOR");
});

test("no model key and no setting reaches a command", () => {
	const secret = {
		ANTHROPIC_API_KEY: "k",
		ANTHROPIC_AUTH_TOKEN: "k",
		ANTHROPIC_BASE_URL: "k",
		ANTHROPIC_MODEL: "k",
		CLAUDE_API_KEY: "k",
		CLAUDE_CODE_OAUTH_TOKEN: "k",
		AWS_BEARER_TOKEN_BEDROCK: "k",
		AGENTREE_MODEL: "k",
		AGENTREE_MAX_DEPTH: "k",
		AGENTREE_MAX_TIME: "k",
		AGENTREE_ANYTHING: "k",
	};
	const environment = commandEnvironment(secret, PLACE);
	for (const name of Object.keys(secret)) expect(environment).not.toHaveProperty(name);
	expect(Object.values(environment)).not.toContain("k");
});

test("variables that change how bash -c starts are removed; exported functions and all others stay", () => {
	const kept = {
		"BASH_FUNC_f%%": "() { :; }",
		LANG: "de_DE.UTF-8",
		GITHUB_TOKEN: "t",
		CLAUDE_CONFIG_DIR: "d",
		EMPTY: "",
	};
	const base = { ...kept, BASH_ENV: "/x", ENV: "/x", SHELLOPTS: "xtrace", BASHOPTS: "extdebug", GONE: undefined };
	const environment = commandEnvironment(base, PLACE);
	expect(environment).toMatchObject(kept);
	for (const name of ["BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "GONE"]) expect(environment).not.toHaveProperty(name);
});

test("the shim directory is in PATH once, also for a grandchild", () => {
	const child = at("1", 1, { PATH: "/usr/bin" });
	expect(at("1.1", 1, child).PATH).toBe("/run/bin:/usr/bin");
});

test("agents and their commands read the process table as the supervisor does", () => {
	// Seen to fail with all of AGENTREE_ removed.
	const base = { AGENTREE_PROCESS_TABLE: "ps", AGENTREE_PROCESS_TABLES: "x", AGENTREE_MAX_DEPTH: "9" };
	expect(withoutKeys(base)).toEqual({ AGENTREE_PROCESS_TABLE: "ps" });
});
