import { expect, test } from "vitest";
import { readSandboxWish } from "../../../../src/project/config/sandbox-options.ts";

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
