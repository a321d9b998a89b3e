import { expect, test } from "vitest";
import type { SandboxWish } from "../../../../src/core/machine/sandbox.ts";
import { readAsking } from "../../../../src/project/config/asking-options.ts";
import { readSandboxWish, withConfiguredSandbox } from "../../../../src/project/config/sandbox-options.ts";

const read = (values: Record<string, string>, env: Record<string, string> = {}) =>
	readSandboxWish(values, { env, cwd: () => "/w" });

test("a wish is read from flags, else from variables; nothing asked for is no wish", () => {
	expect(read({})).toBeUndefined();
	expect(read({ sandbox: "required" })).toEqual({ mode: "workspace", isRequired: true });
	expect(read({ "allow-write": "a\n/b/../c", "deny-read": ".env" })).toEqual({
		allowWrite: ["/w/a", "/c"],
		denyRead: ["/w/.env"],
	});
	expect(read({ "allow-read": "a\n/b" })).toEqual({ allowRead: ["/w/a", "/b"] });
	// Seen to fail: bash leaves the ~ of --allow-read=~/x as it is, and of a variable that a file sets.
	const env = { HOME: "/h", AGENTREE_DENY_READ: "~/a\n~b" };
	expect(read({ "allow-read": "~/.npmrc\n~", "allow-write": "~/c" }, env)).toEqual({
		...{ allowRead: ["/h/.npmrc", "/h"], allowWrite: ["/h/c"], denyRead: ["/h/a", "/w/~b"] },
	});
	expect(read({ "allow-host": "a.org\n*.b.org\nc:443" })).toEqual({
		network: "proxy",
		allowHosts: ["a.org", "*.b.org", "c:443"],
	});
});

test("a flag that asks for protection goes before an off by a variable, and an off before the rest", () => {
	const off = { AGENTREE_SANDBOX: "off" };
	expect(read({}, { ...off, AGENTREE_NET: "none" })).toEqual({ mode: "off", network: "none" });
	expect(read({ sandbox: "off" }, { AGENTREE_NET: "none" })).toEqual({ mode: "off", network: "none" });
	expect(read({ net: "none" }, off)).toEqual({ network: "none" });
	expect(read({ "deny-read": "/a" }, off)).toEqual({ denyRead: ["/a"] });
	expect(read({ "allow-host": "a.org" }, off)).toEqual({ network: "proxy", allowHosts: ["a.org"] });
	expect(read({ net: "host", "allow-write": "/a" }, off)).toMatchObject({ mode: "off" });
});

test.each([
	[{ sandbox: "off", net: "none" }, "--sandbox off and --net contradict each other: --net needs a sandbox"],
	[{ sandbox: "off", "deny-read": "a" }, "--sandbox off and --deny-read contradict each other"],
	[{ sandbox: "on" }, '--sandbox must be one of off, workspace, read-only, required, not "on"'],
	[{ net: "vpn" }, '--net must be one of host, proxy, none, not "vpn"'],
	[{ "allow-host": "http://a" }, "--allow-host needs a host name"],
	[{ "allow-write": "" }, "--allow-write needs a path"],
	[{ net: "none", "allow-host": "a.org" }, "--net none and --allow-host contradict each other"],
])("%j is a usage error", (values, message) => {
	expect(() => read(values as Record<string, string>)).toThrow(message);
});

const both = (asked: SandboxWish | undefined, configured: SandboxWish | undefined) =>
	withConfiguredSandbox(asked, configured, { cwd: "/p", home: "/h" });

test.each<[SandboxWish | undefined, SandboxWish | undefined, SandboxWish | undefined]>([
	[undefined, undefined, undefined],
	[{ mode: "off" }, undefined, { mode: "off" }],
	[undefined, { mode: "read-only" }, { mode: "read-only" }],
	[{ mode: "workspace" }, { mode: "read-only" }, { mode: "workspace" }],
	[{ mode: "off" }, { mode: "workspace", isRequired: true }, { mode: "off" }],
	[undefined, { mode: "workspace", isRequired: true }, { mode: "workspace", isRequired: true }],
	[{ mode: "off" }, { mode: "workspace", denyRead: [".env"] }, { mode: "off" }],
	[undefined, { mode: "off", denyRead: [".env"] }, { mode: "off" }],
	[undefined, { denyRead: [".env"] }, { denyRead: ["/p/.env"] }],
	[{ network: "none" }, { denyRead: [".env"] }, { network: "none", denyRead: ["/p/.env"] }],
	[{ network: "none" }, { mode: "off", denyRead: [".env"] }, { network: "none", denyRead: ["/p/.env"] }],
	[
		{ mode: "workspace", allowWrite: ["/a"] },
		{ allowWrite: ["~/b", "c"] },
		{ mode: "workspace", allowWrite: ["/a", "/h/b", "/p/c"] },
	],
	[{ allowRead: ["/h/.a"] }, { allowRead: ["~/.b"] }, { allowRead: ["/h/.a", "/h/.b"] }],
	[{ denyRead: ["/h/d"] }, { allowRead: ["~/d/x", "~/e"] }, { denyRead: ["/h/d"], allowRead: ["/h/e"] }],
	[{ allowRead: ["/h/d"] }, { denyRead: ["~/d/x", "~/e"] }, { allowRead: ["/h/d"], denyRead: ["/h/e"] }],
	[
		{ mode: "workspace" },
		{ network: "proxy", allowHosts: ["a"] },
		{ mode: "workspace", network: "proxy", allowHosts: ["a"] },
	],
	[{ network: "host" }, { network: "proxy", allowHosts: ["a"] }, { network: "host" }],
])("%j and %j of the file: %j", (asked, configured, expected) => {
	expect(both(asked, configured)).toEqual(expected);
});

const SKIP = { "dangerously-skip-permissions": true };

test("permissions are skipped by the option alone, and the variable of a mode does not count then", () => {
	expect(readAsking(SKIP, { AGENTREE_ASK: "always" })).toEqual({
		...{ waits: false, skipsPermissions: true },
		rules: { allow: [], ask: [], deny: [] },
	});
	expect(readAsking({}, { AGENTREE_DANGEROUSLY_SKIP_PERMISSIONS: "1" })).not.toHaveProperty("skipsPermissions");
});

test("an explicit option that asks for what it takes away contradicts it", () => {
	for (const flag of ["sandbox", "allow-write", "allow-read", "deny-read", "net", "allow-host", "ask", "ask-for"])
		expect(() => readAsking({ ...SKIP, [flag]: "x" }, {})).toThrow(`--${flag} contradict each other`);
});

test("rules that deny, and questions of agents, go with it", () => {
	const values = { ...SKIP, deny: "Bash(git push *)", "ask-wait": true };
	expect(readAsking(values, {})).toMatchObject({ waits: true, rules: { deny: ["Bash(git push *)"] } });
});
