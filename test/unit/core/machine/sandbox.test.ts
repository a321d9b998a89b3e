import { expect, test } from "vitest";
import { accessTo, type Confinement, type Mount, narrowed } from "../../../../src/core/machine/sandbox.ts";

const MOUNTS: readonly Mount[] = [
	{ path: "/p", as: "write" },
	{ path: "/p/.git", as: "write" },
	{ path: "/p/.git/hooks", as: "read" },
	{ path: "/h/.ssh", as: "hidden directory" },
];
const PARENT: Confinement = { mode: "workspace", mounts: MOUNTS, network: "host", hosts: [] };

test("the deepest mount above a path says how it is seen, and of two at one place the later one", () => {
	const seen = ["/p", "/p/a/b", "/p/.git/hooks/pre-commit", "/px", "/h/.ssh/id", "/etc"].map((path) =>
		accessTo(path, MOUNTS),
	);
	expect(seen).toEqual(["write", "write", "read", "read", "hidden directory", "read"]);
	expect(accessTo("/p/x", [...MOUNTS, { path: "/p", as: "read" }])).toBe("read");
});

test("a child that asks for less gets less: a read-only tree, with what it names writable in it as it was", () => {
	const { confinement, notices } = narrowed(PARENT, { mode: "read-only", allowWrite: ["/p/out", "/etc"] }, []);
	const seen = ["/p/a", "/p/out/x", "/p/.git/HEAD", "/etc/x"].map((path) => accessTo(path, confinement.mounts));
	expect(seen).toEqual(["read", "write", "read", "read"]);
	expect([confinement.mode, notices]).toEqual([
		"read-only",
		["--allow-write /etc: the agent above cannot write there"],
	]);
	const whole = narrowed(PARENT, { mode: "read-only", allowWrite: ["/p"] }, []).confinement;
	expect(accessTo("/p/.git/hooks/x", whole.mounts)).toBe("read");
});

test.each([
	[{ mode: "off" as const }, "--sandbox off: the sandbox of the agent above applies here as well"],
	[{ allowRead: ["/etc", "/h/.ssh/id"] }, "--allow-read /h/.ssh/id: it is hidden from the agent above as well"],
	[{ allowWrite: ["/h/.ssh"] }, "--allow-write /h/.ssh: the agent above cannot write there"],
])("a child that asks for more gets what its parent has, and is told: %j", (wish, notice) => {
	expect(narrowed(PARENT, wish, [])).toEqual({ confinement: PARENT, notices: [notice] });
});

test("a network is narrowed from the host's to hosts to none, and never back", () => {
	const proxied = narrowed(PARENT, { network: "proxy", allowHosts: ["*.a.org", "b.org"] }, []).confinement;
	expect([proxied.network, proxied.hosts]).toEqual(["proxy", ["*.a.org", "b.org"]]);
	const fewer = narrowed(proxied, { allowHosts: ["x.a.org", "c.org"] }, []).confinement;
	expect([fewer.network, fewer.hosts]).toEqual(["proxy", ["x.a.org"]]);
	const { confinement, notices } = narrowed(fewer, { network: "host" }, []);
	expect([confinement.network, notices]).toEqual(["proxy", ["--net host: the agent above has --net proxy"]]);
	expect(narrowed(fewer, { network: "none" }, []).confinement.network).toBe("none");
});

test("what a child hides is hidden for it, wherever it lies", () => {
	const hidden: Mount[] = [{ path: "/p/.env", as: "hidden file" }];
	expect(accessTo("/p/.env", narrowed(PARENT, { denyRead: ["/p/.env"] }, hidden).confinement.mounts)).toBe(
		"hidden file",
	);
	// Seen to fail: what the sandbox keeps in a hidden directory was mounted on it, and so was there to be read.
	const directory: Mount[] = [{ path: "/p/.git", as: "hidden directory" }];
	for (const mode of ["workspace", "read-only"] as const) {
		const { mounts } = narrowed(PARENT, { mode, allowWrite: ["/p"] }, directory).confinement;
		expect(["/p/.git/x", "/p/.git/hooks/x"].map((path) => accessTo(path, mounts))).toEqual(
			Array(2).fill("hidden directory"),
		);
	}
});
