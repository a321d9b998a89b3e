import { expect, test } from "vitest";
import type { Confinement, Mount } from "../../../src/core/machine/sandbox.ts";
import { configuredAgain, joined, wishAgain, withGrants } from "../../../src/sandbox/derived-confinements.ts";

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
