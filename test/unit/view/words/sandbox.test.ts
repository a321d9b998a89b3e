import { expect, test } from "vitest";
import type { Confinement } from "../../../../src/core/machine/sandbox.ts";
import { describeSandbox } from "../../../../src/view/words/sandbox.ts";

const confinement = (changes: Partial<Confinement> = {}): Confinement => ({
	...{ mode: "workspace", network: "host", hosts: [] },
	mounts: [
		{ path: "/p", as: "write" },
		{ path: "/p/.git", as: "write" },
		{ path: "/q", as: "write" },
		{ path: "/h/.ssh", as: "hidden directory" },
	],
	...changes,
});

test.each([
	[{}, "workspace: writes to /p, /q and /tmp"],
	[{ mode: "read-only", mounts: [] }, "read-only: writes to /tmp"],
	[
		{
			mounts: [
				{ path: "/p", as: "write" },
				{ path: "/h/.npmrc", as: "read", isShown: true },
				{ path: "/h/.a", as: "read", isShown: true },
				{ path: "/h/.a", as: "hidden file" },
			],
		},
		"workspace: writes to /p and /tmp, reads /h/.npmrc",
	],
	[{ network: "none" }, "workspace: writes to /p, /q and /tmp, no network"],
	[{ network: "proxy", hosts: ["a.org", "*.b.org"] }, "workspace: writes to /p, /q and /tmp, network: a.org *.b.org"],
] as const)("%j", (changes, expected) => {
	expect(describeSandbox(confinement(changes))).toBe(expected);
});
