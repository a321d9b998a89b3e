import { expect, test } from "vitest";
import { readSandboxWish } from "../../../src/config/sandbox-wish.ts";

const read = (values: Record<string, string>, env: Record<string, string> = {}) =>
	readSandboxWish(values, { env, cwd: () => "/w" });

test("a wish is read from flags, else from variables; nothing asked for is no wish", () => {
	expect(read({})).toBeUndefined();
	expect(read({ sandbox: "required" })).toEqual({ mode: "workspace", isRequired: true });
	expect(read({ "allow-write": "a\n/b/../c", "deny-read": ".env" })).toEqual({
		allowWrite: ["/w/a", "/c"],
		denyRead: ["/w/.env"],
	});
	expect(read({ sandbox: "off" }, { AGENTREE_SANDBOX: "read-only", AGENTREE_NET: "none" })).toEqual({
		mode: "off",
		network: "none",
	});
	expect(read({ "allow-host": "a.org\n*.b.org\nc:443" })).toEqual({
		network: "proxy",
		allowHosts: ["a.org", "*.b.org", "c:443"],
	});
});

test.each([
	[{ sandbox: "on" }, '--sandbox must be one of off, workspace, read-only, required, not "on"'],
	[{ net: "vpn" }, '--net must be one of host, proxy, none, not "vpn"'],
	[{ "allow-host": "http://a" }, "--allow-host needs a host's name"],
	[{ "allow-write": "" }, "--allow-write needs a path"],
	[{ net: "none", "allow-host": "a.org" }, "--net none and --allow-host contradict each other"],
])("%j is a usage error", (values, message) => {
	expect(() => read(values as Record<string, string>)).toThrow(message);
});
