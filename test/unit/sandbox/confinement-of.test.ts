import { expect, test } from "vitest";
import { accessTo, type SandboxWish } from "../../../src/core/machine/sandbox.ts";
import { type ConfinementFacts, confinementOf } from "../../../src/sandbox/confinement-of.ts";
import type { OwnPlaces } from "../../../src/sandbox/own-places.ts";

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

const OWN: OwnPlaces = {
	configuration: "/h/.config/agentree",
	directories: ["/h/.config/agentree", "/h/state"],
	files: ["/h/p/keys.env"],
	worktrees: "/h/state/worktrees",
};

const facts = (changes: Partial<ConfinementFacts> = {}): ConfinementFacts => ({
	...{ cwd: "/h/p/sub", top: "/h/p", repository: ["/h/p/.git"], homes: ["/h"], uid: 7 },
	...{ caches: [], made: [], programs: [], secret: [], own: OWN, pointers: ["/h/p/.git"], isTopReadOnly: false },
	kept: ["/h/p/.git/hooks", "/h/p/.git/config"],
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

test("links that lead to what is kept are held where commands can write, as no mount can stand on them", () => {
	const lookAt = (path: string) =>
		path === "/h/p/.git/hooks"
			? { path: "/x/hooks", is: "directory" as const, links: ["/h/l", path] }
			: facts().lookAt(path);
	expect(confinementOf({}, facts({ lookAt })).held).toEqual(["/h/p/.git/hooks"]);
	expect(confinementOf({ mode: "read-only" }, facts({ lookAt })).held).toBeUndefined();
});

test("of the user's own directory agents see what they are told to read, and nothing else", () => {
	const there: Record<string, string> = {
		"/h/.config/agentree": "/h/dots/agentree",
		"/h/dots/agentree/skills": "/h/dots/agentree/skills",
		"/h/dots/agentree/agents": "/h/p/agents",
		"/h/dots/agentree/commands": "/x/commands",
	};
	const lookAt = (path: string) =>
		there[path] === undefined ? facts().lookAt(path) : ({ path: there[path], is: "directory" } as const);
	const inside = (path: string) => (path.endsWith("/skill") ? ({ path, is: "directory" } as const) : lookAt(path));
	const names = ["skills/a/SKILL.md", "commands/c.md", "agents/r.md", "config.yaml", "grants.jsonl"];
	const paths = names.map((name) => `/h/dots/agentree/${name}`);
	const changes = { lookAt, own: { ...OWN, directories: ["/h/.config/agentree"] } };
	const hides = "hidden directory";
	expect(seen({}, paths, changes)).toEqual(["read", "read", hides, hides, hides]); // what the link `agents` leads to is writable
	expect(seen({ denyRead: ["/h/dots/agentree/skills"] }, paths, changes)[0]).toBe(hides);
	const linked = { ...changes, lookAt: inside, ownLinked: ["/h/.ssh/skill", "/h/p/skill"] };
	// Seen to fail: commands wrote what runs in other projects are told.
	const ofLinks = ["/h/.ssh/skill/SKILL.md", "/h/.ssh/id", "/h/p/skill/SKILL.md", "/h/p/agents/r.md", "/h/p/a"];
	expect(seen({}, ofLinks, linked)).toEqual(["read", hides, "read", "read", "write"]);
	expect(
		seen({ denyRead: ["/h/dots"] }, paths, {
			...changes,
			lookAt: (path) => (path === "/h/dots" ? { path, is: "directory" } : lookAt(path)),
		}),
	).toEqual(names.map(() => hides)); // seen to fail: a place in it was seen
	expect(seen({ allowRead: ["/h/dots/agentree/config.yaml"] }, paths, changes)[0]).toBe("read");
});

// Seen to fail: what is kept as it is, and caches, were places of their own in what was denied.
test("nothing is seen in a directory that a person hides", () => {
	const changes = { kept: ["/h/p/.git/config", "/h/p/sub/bin"], caches: ["/h/p/.git/cache"] };
	const lookAt = (path: string) => ({ path, is: path.endsWith("config") ? "file" : "directory" }) as const;
	expect(
		seen({ denyRead: ["/h/p/.git", "/h/p/sub"] }, ["/h/p/.git/config", "/h/p/.git/cache", "/h/p/sub/bin"], {
			...changes,
			lookAt,
		}),
	).toEqual(["hidden directory", "hidden directory", "hidden directory"]);
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

test("in a home that is the project hidden files are kept as they are, also those that come, and secrets are hidden", () => {
	const names = [".bashrc", ".config", ".profile", ".ssh", ".npmrc"];
	const changes = { top: "/h", cwd: "/h", inHome: names.map((name) => `/h/${name}`) };
	const lookAt: ConfinementFacts["lookAt"] = (path) => {
		if (path === "/h/.bashrc") return { path: "/h/dots/bashrc", is: "file", links: [path] };
		return path === "/h/.config" ? { path, is: "directory" } : facts().lookAt(path);
	};
	const paths = ["/h/dots/bashrc", "/h/.config/x", "/h/.profile", "/h/.ssh/id", "/h/.npmrc", "/h/notes"];
	const [file, directory] = ["hidden file", "hidden directory"];
	expect(seen({}, paths, { ...changes, lookAt })).toEqual(["read", "read", "read", directory, file, "write"]);
	expect(confinementOf({}, facts({ ...changes, lookAt })).held).toEqual(["/h/.bashrc"]);
	expect(seen({ allowWrite: ["/h/.config"] }, ["/h/.config/x"], { ...changes, lookAt })).toEqual(["write"]);
});

// Seen to fail: --allow-write of a directory above took all of it away, and a project in it was written to.
test("what is agentree's own is never written, and its keys are never read, whatever a person names", () => {
	const there = [
		"/h/state",
		"/h/state/runs",
		"/h/state/worktrees/run/name",
		"/h/.config",
		"/h/.config/agentree",
		"/h/link",
	];
	const lookAt: ConfinementFacts["lookAt"] = (path) => {
		if (path === "/h/link") return { path: "/h/state/runs", is: "directory" };
		if (path === "/h/p/keys.env") return { path, is: "file" };
		return there.includes(path) ? { path, is: "directory" } : facts().lookAt(path);
	};
	const paths = [
		"/h/state/runs/x",
		"/h/.config/agentree/config.yaml",
		"/h/p/keys.env",
		"/h/state/worktrees/run/name/x",
	];
	const of = (wish: SandboxWish, changes = {}) => seen(wish, paths, { lookAt, ...changes });
	const [directory, file] = ["hidden directory", "hidden file"];
	expect(of({})).toEqual([directory, directory, file, directory]);
	const named = ["/h", "/h/state", "/h/state/runs", "/h/link", "/h/.config/agentree", "/h/p/keys.env"];
	expect(of({ allowWrite: named })).toEqual([directory, directory, file, directory]);
	expect(of({ allowWrite: ["/h/state/worktrees/run/name"] })[3]).toBe("write");
	expect(of({ allowRead: ["/h"] })).toEqual([directory, directory, file, directory]);
	expect(of({ allowRead: named })).toEqual(["read", "read", file, "read"]);
	expect(of({}, { top: "/h/state/runs", cwd: "/h/state/runs", repository: ["/h/state"] })[0]).toBe(directory);
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

test("a person shows what would be hidden: a file, what lies in a hidden directory, all below a place but what is agentree's", () => {
	const inside = facts().lookAt;
	const lookAt: ConfinementFacts["lookAt"] = (path) => {
		if (path === "/h/.ssh/config" || path === "/tmp/notes") return { path, is: "file" };
		return path === "/h/.config/agentree" || path === "/tmp" ? { path, is: "directory" } : inside(path);
	};
	const of = (allowRead: string[], denyRead: string[] = []) =>
		seen({ allowRead, denyRead }, ["/h/.npmrc", "/h/.ssh/config", "/h/.ssh/id", "/h/.config/agentree/x"], {
			lookAt,
		});
	const [file, directory] = ["hidden file", "hidden directory"];
	expect(of([])).toEqual([file, directory, directory, directory]);
	expect(of(["/h/.npmrc"])).toEqual(["read", directory, directory, directory]);
	expect(of(["/h/.ssh/config"])).toEqual([file, "read", directory, directory]);
	expect(of(["/h"])).toEqual(["read", "read", "read", directory]);
	expect(of(["/h/.config/agentree"])).toEqual([file, directory, directory, "read"]);
	expect(of(["/h/.npmrc"], ["/h/.npmrc"])[0]).toBe(file);
	const mountsOf = (allowRead: string[]) => confinementOf({ allowRead }, facts({ lookAt })).mounts;
	expect(mountsOf(["/tmp/notes", "/tmp", "/x", "/nothing"]).filter(({ isShown }) => isShown)).toEqual([
		{ path: "/tmp/notes", as: "read", isShown: true },
		{ path: "/x", as: "read", isShown: true }, // sockets in it, too
	]);
});

// Without a place of its own it would be as what is around it: writable.
test("what is shown is not writable in a project that is the home directory", () => {
	expect(seen({ allowRead: ["/h/.npmrc"] }, ["/h/.npmrc", "/h/a"], { top: "/h", cwd: "/h" })).toEqual([
		"read",
		"write",
	]);
});

// Seen to fail: a program that PATH names was not found.
test("programs in a directory that is hidden can be read, and nothing beside them; a directory of secrets itself is none of programs", () => {
	const inside = facts().lookAt;
	const lookAt: ConfinementFacts["lookAt"] = (path) =>
		path === "/h/.ssh/bin" ? { path, is: "directory" } : inside(path);
	const of = (programs: string[], wish: SandboxWish = {}) =>
		seen(wish, ["/h/.ssh/bin/x", "/h/.ssh/id"], { programs, lookAt });
	expect(of(["/usr/bin", "/h/.ssh/bin"])).toEqual(["read", "hidden directory"]);
	expect(of(["/h/.ssh"])).toEqual(["hidden directory", "hidden directory"]);
	expect(of(["/h/.ssh/bin"], { denyRead: ["/h/.ssh"] })).toEqual(["hidden directory", "hidden directory"]);
});
