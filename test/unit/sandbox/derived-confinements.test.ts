import { expect, test } from "vitest";
import { accessTo, type Confinement, type Mount } from "../../../src/core/machine/sandbox.ts";
import {
	configuredAgain,
	guardsInWorktree,
	inWorktree,
	joined,
	wishAgain,
	withGrants,
	withoutEntry,
} from "../../../src/sandbox/derived-confinements.ts";

const confinement = (mounts: readonly Mount[], more: Partial<Confinement> = {}): Confinement => ({
	...{ mode: "workspace", mounts, network: "host", hosts: [] },
	...more,
});
const TODAY = confinement([
	{ path: "/p", as: "write" },
	{ path: "/p/.git/hooks", as: "read" },
	{ path: "/h/.ssh", as: "hidden directory" },
]);
const joinedWith = (mounts: readonly Mount[], wish = {}, isThere = (_: Mount) => true) =>
	joined(TODAY, confinement(mounts), { wish, isThere }).mounts.slice(TODAY.mounts.length);

test("what was hidden or kept before stays so, and nothing else of before counts", () => {
	const kept: Mount = { path: "/p/.envrc", as: "read" };
	const hidden: Mount = { path: "/p/.env", as: "hidden file" };
	const was: Mount[] = [kept, hidden, { path: "/", as: "write" }, { path: "/elsewhere", as: "read" }];
	expect(joinedWith([...was, { path: "/p", as: "read" }, { path: "/c", as: "copy" }])).toEqual([kept, hidden]);
	expect(joinedWith(was, {}, ({ path }) => path !== "/p/.env")).toEqual([kept]);
	expect(joinedWith(was, { allowRead: ["/p/.env"], allowWrite: ["/p/.envrc"] })).toEqual([]);
});

test("what flags granted before is asked for again, unless one says something else now", () => {
	const granted = withGrants(
		confinement([
			{ path: "/g", as: "write" },
			{ path: "/p", as: "write" },
		]),
		["/g"],
	);
	const was = { ...granted, mounts: [...granted.mounts, { path: "/s", as: "read", isShown: true } as const] };
	const bounds = { network: "host", allowHosts: [] };
	expect(wishAgain({}, {}, was)).toEqual({ ...bounds, allowWrite: ["/g"], allowRead: ["/s"] });
	const asked = { allowWrite: ["/n"], allowRead: ["/m"], network: "none" } as const;
	expect(wishAgain(asked, asked, was)).toEqual({ ...bounds, ...asked });
});

test("the configuration gives its places anew, and narrows the network alone", () => {
	const configured = { mode: "off", isRequired: true, denyRead: ["/k"], allowHosts: ["a.org"] } as const;
	const proxied = { denyRead: ["/k"], network: "proxy", allowHosts: ["a.org"] };
	expect(configuredAgain(configured, confinement([]))).toEqual(proxied);
	expect(configuredAgain(configured, confinement([], { network: "none" }))).toEqual({ denyRead: ["/k"] });
});

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
const seenIn = (paths: string[], { mounts }: Confinement) => paths.map((path) => accessTo(path, mounts));

test("its own worktree is the project of an agent, and the tree of which that is can be read", () => {
	const places = [OWN.path, OWN.cwd, "/p", "/p/sub", "/p/.git/refs", "/p/.git/config", "/p/.env", "/cache"];
	const asIts = ["write", "write", "read", "read", "write", "read", "hidden file", "write"];
	expect(seenIn(places, inWorktree(ABOVE, OWN))).toEqual(asIts);
});

test("what was asked for besides stays as it was above", () => {
	expect(seenIn(["/p/a", "/p/b"], inWorktree(ABOVE, OWN, ["/p/a"]))).toEqual(["write", "read"]);
	expect(seenIn(["/p", "/p/.env", "/p/.git/config"], inWorktree(ABOVE, OWN, ["/p"]))).toEqual([
		...["write", "hidden file", "read"],
	]);
});

test("nothing of it can be written in a sandbox that is read-only", () => {
	const above: Confinement = { ...ABOVE, mode: "read-only", mounts: [{ path: "/p", as: "read" }] };
	expect(seenIn([OWN.path, "/p/.git"], inWorktree(above, OWN))).toEqual(["read", "read"]);
});

test("of a bare repository, which is its tree, nothing becomes read-only", () => {
	const bare = { ...OWN, origin: "/p/.git" };
	expect(seenIn(["/p/.git/refs"], inWorktree(ABOVE, bare))).toEqual(["write"]);
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
