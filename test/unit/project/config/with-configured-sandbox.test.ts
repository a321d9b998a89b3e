import { expect, test } from "vitest";
import type { SandboxWish } from "../../../../src/core/machine/sandbox.ts";
import { withConfiguredSandbox } from "../../../../src/project/config/sandbox-options.ts";

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
