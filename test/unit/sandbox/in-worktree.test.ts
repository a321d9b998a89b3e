import { expect, test } from "vitest";
import { accessTo, type Confinement } from "../../../src/core/machine/sandbox.ts";
import { guardsInWorktree, inWorktree, withoutEntry } from "../../../src/sandbox/derived-confinements.ts";

const OWN = {
	...{ path: "/s/worktrees/r/w", cwd: "/s/worktrees/r/w/sub", origin: "/p", repository: "/p/.git" },
	...{ branch: "agentree/w", base: "0" },
};
const ABOVE: Confinement = {
	...{ mode: "workspace", network: "host", hosts: [] },
	mounts: [
		{ path: "/p", as: "write" },
		{ path: "/cache", as: "write" },
		{ path: "/p/.git/config", as: "read" },
		{ path: "/p/.env", as: "hidden file" },
	],
};
const seen = (paths: string[], { mounts }: Confinement) => paths.map((path) => accessTo(path, mounts));

test("its own worktree is the project of an agent, and the tree of which that is can be read", () => {
	const places = [OWN.path, OWN.cwd, "/p", "/p/sub", "/p/.git/refs", "/p/.git/config", "/p/.env", "/cache"];
	const asIts = ["write", "write", "read", "read", "write", "read", "hidden file", "write"];
	expect(seen(places, inWorktree(ABOVE, OWN))).toEqual(asIts);
});

test("what was asked for besides stays as it was above", () => {
	expect(seen(["/p/a", "/p/b"], inWorktree(ABOVE, OWN, ["/p/a"]))).toEqual(["write", "read"]);
	expect(seen(["/p", "/p/.env", "/p/.git/config"], inWorktree(ABOVE, OWN, ["/p"]))).toEqual([
		...["write", "hidden file", "read"],
	]);
});

test("nothing of it can be written in a sandbox that is read-only", () => {
	const above: Confinement = { ...ABOVE, mode: "read-only", mounts: [{ path: "/p", as: "read" }] };
	expect(seen([OWN.path, "/p/.git"], inWorktree(above, OWN))).toEqual(["read", "read"]);
});

test("of a bare repository, which is its tree, nothing becomes read-only", () => {
	const bare = { ...OWN, origin: "/p/.git" };
	expect(seen(["/p/.git/refs"], inWorktree(ABOVE, bare))).toEqual(["write"]);
});

test("what ties it to its repository is kept, and what is hidden in the tree is hidden in it", () => {
	const entry = "/p/.git/worktrees/w";
	const there = [`${OWN.path}/.git`, `${entry}/commondir`, `${entry}/gitdir`, `${OWN.path}/.env`, `${OWN.cwd}/.envrc`];
	const guards = guardsInWorktree(inWorktree(ABOVE, OWN), { ...OWN, entry }, (path) =>
		there.includes(path) ? { path, is: "file" } : undefined,
	);
	expect(guards).toEqual([
		...[`${OWN.path}/.git`, `${OWN.cwd}/.envrc`, `${entry}/commondir`, `${entry}/gitdir`].map((path) => ({
			...{ path, as: "read" },
		})),
		{ path: `${OWN.path}/.env`, as: "hidden file" },
	]);
	const mounts = [...ABOVE.mounts, ...guards];
	expect(withoutEntry({ ...ABOVE, mounts }, entry).mounts).not.toContainEqual({
		path: `${entry}/commondir`,
		as: "read",
	});
	expect(withoutEntry({ ...ABOVE, mounts }, entry).mounts).toContainEqual({ path: "/p/.git/config", as: "read" });
});
