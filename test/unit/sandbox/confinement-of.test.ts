import { expect, test } from "vitest";
import { accessTo, type SandboxWish } from "../../../src/core/sandbox.ts";
import { type ConfinementFacts, confinementOf } from "../../../src/sandbox/confinement-of.ts";

const FILES = ["/h/p/.envrc", "/h/p/.git/config", "/h/p/sub/deep/.env", "/etc/shadow", "/h/.npmrc"];
const DIRECTORIES = [
	"/h",
	"/h/p",
	"/h/p/.git",
	"/h/p/.git/hooks",
	"/h/p/.claude",
	"/h/p/sub",
	"/h/p/sub/deep",
	"/h/.ssh",
	"/x",
];

const facts = (changes: Partial<ConfinementFacts> = {}): ConfinementFacts => ({
	...{ cwd: "/h/p/sub", top: "/h/p", repository: ["/h/p/.git"], homes: ["/h"], uid: 7 },
	...{ caches: [], made: [], secret: [], kept: ["/h/p/.git/hooks", "/h/p/.git/config"], isTopReadOnly: false },
	lookAt: (path) => {
		if (DIRECTORIES.includes(path)) return { path, is: "directory" };
		return FILES.includes(path) ? { path, is: "file" } : undefined;
	},
	...changes,
});
const seen = (wish: SandboxWish, paths: string[], changes?: Partial<ConfinementFacts>) => {
	const { mounts } = confinementOf(wish, facts(changes));
	return paths.map((path) => accessTo(path, mounts));
};

test("the project is writable, what other programs run of it is not, and secrets are hidden", () => {
	const paths = ["/h/p/a", "/h/p/.git/HEAD", "/h/p/.git/hooks/x", "/h/p/.git/config", "/h/p/.claude/a", "/h/p/.envrc"];
	expect(seen({}, paths)).toEqual(["write", "write", "read", "read", "read", "read"]);
	expect(seen({}, ["/h/x", "/h/.ssh/id", "/h/.npmrc", "/etc/shadow"])).toEqual([
		...["read", "hidden directory", "hidden file", "read"],
	]);
	expect(seen({}, ["/etc/shadow"], { uid: 0 })).toEqual(["hidden file"]);
});

test("read-only leaves nothing writable but what is named", () => {
	expect(seen({ mode: "read-only", allowWrite: ["/x"] }, ["/h/p/a", "/h/p/.git/HEAD", "/x/y"])).toEqual([
		"read",
		"read",
		"write",
	]);
});

test("what cannot be written of the project is a place of its own, so that it is there where commands have another /tmp", () => {
	const places = (wish: SandboxWish, changes?: Partial<ConfinementFacts>) =>
		confinementOf(wish, facts({ homes: [], kept: [], ...changes }))
			.mounts.filter(({ path }) => !/claude|envrc/.test(path))
			.map(({ path, as }) => [path, as]);
	expect(places({ mode: "read-only" }, { repository: ["/x"] })).toEqual([
		["/h/p", "read"],
		["/x", "read"],
		["/h/p/sub", "read"],
	]);
	expect(places({ mode: "read-only", allowWrite: ["/h"] }, { repository: ["/x"] })).toEqual([
		["/x", "read"],
		["/h", "write"],
	]);
	expect(places({}, { isTopReadOnly: true })).toEqual([
		["/h/p", "read"],
		["/h/p/sub", "read"],
		["/h/p/.git", "write"],
	]);
	expect(places({}, { top: "/", cwd: "/x", repository: [] })).toEqual([["/x", "read"]]);
	expect(seen({ mode: "read-only", denyRead: ["/h/p"] }, ["/h/p/a"])).toEqual(["hidden directory"]);
});

test("a repository elsewhere is writable, too; the root of all files is no project", () => {
	expect(seen({}, ["/x/HEAD"], { repository: ["/x"] })).toEqual(["write"]);
	expect(seen({}, ["/a", "/h/p/a"], { top: "/", cwd: "/", repository: [] })).toEqual(["read", "read"]);
});

test("other places are hidden or kept when they are named; what would take the whole project is not kept", () => {
	expect(seen({}, ["/x/y", "/h/p/sub/a", "/h/p/a"], { secret: ["/x"], kept: ["/h/p/sub", "/h/p", "/h"] })).toEqual([
		...["hidden directory", "read", "write"],
	]);
});

test("a .git that is a file is kept as it is: it names the directory from which git takes its configuration", () => {
	const lookAt = (path: string) => ({ path, is: path.endsWith("/.git") ? "file" : "directory" }) as const;
	expect(seen({}, ["/h/p/.git", "/h/p/a"], { lookAt })).toEqual(["read", "write"]);
});

test("a person who names a place gets it, also where it would be kept or hidden; what is denied stays so", () => {
	expect(seen({ allowWrite: ["/h/.ssh", "/h/p/.claude"] }, ["/h/.ssh/x", "/h/p/.claude/a"])).toEqual([
		"write",
		"write",
	]);
	expect(seen({ allowWrite: ["/h/.ssh"], denyRead: ["/h/.ssh"] }, ["/h/.ssh/x"])).toEqual(["hidden directory"]);
});

test("hosts that are named mean the network of hosts that are named", () => {
	expect(confinementOf({ allowHosts: ["a.org"] }, facts())).toMatchObject({ network: "proxy", hosts: ["a.org"] });
	expect(confinementOf({}, facts())).toMatchObject({ network: "host", hosts: [], mode: "workspace" });
});

test("caches are copied, unless they lie in the project, or a person wants them written, or hidden", () => {
	const caches = ["/h/.ssh", "/h/p/sub", "/h/nothing", "/h/.npmrc"]; // any directories of the table
	const seenIn = (wish: SandboxWish) => seen(wish, ["/h/.ssh/a", "/h/p/sub/a", "/h/.npmrc"], { caches, homes: [] });
	expect(seenIn({})).toEqual(["copy", "write", "read"]);
	expect(seenIn({ mode: "read-only" })).toEqual(["copy", "copy", "read"]);
	expect(seenIn({ allowWrite: ["/h"] })[0]).toBe("write");
	expect(seenIn({ denyRead: ["/h/.ssh"] })[0]).toBe("hidden directory");
});

test("what stands in the project for the sandbox alone is marked, so that it is removed again", () => {
	const { mounts } = confinementOf({}, facts({ made: ["/h/p/.claude"] }));
	expect(mounts.filter(({ isMade }) => isMade)).toEqual([{ path: "/h/p/.claude", as: "read", isMade: true }]);
});
