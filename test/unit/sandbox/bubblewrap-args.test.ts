import { expect, test } from "vitest";
import type { Confinement } from "../../../src/core/machine/sandbox.ts";
import { bubblewrapArgs, type Nesting } from "../../../src/sandbox/bubblewrap-args.ts";

const CONFINEMENT: Confinement = {
	...{ mode: "workspace", network: "host", hosts: [] },
	mounts: [
		{ path: "/tmp/p/.git/hooks", as: "read" },
		{ path: "/tmp/p", as: "write" },
		{ path: "/h/.ssh", as: "hidden directory" },
		{ path: "/h/.npmrc", as: "hidden file" },
	],
};
const PLACES = {
	...{ temporary: "/s/runs/r/tmp", stateDirectory: "/s", shims: "/s/runs/r/bin", empty: "/s/runs/r/bin/empty" },
	...{ socket: "/run/r.sock", proxySocket: "/run/r.proxy", pipes: "/run/r.pipes/1", output: "/s/runs/r/1" },
	...{ outputTree: "/s/runs/r/output/1", ofRoot: ["/s/runs/r/1", "/run/r.pipes/1"], needed: ["/tmp/node"] },
	readable: [{ path: "/s/runs/first/1", from: "/s/runs/r/output/1" }],
	layers: new Map([["/h/.cache", "/s/runs/r/layers/0/merged"]]),
};
const argsFor = (nesting: Partial<Nesting> = {}, confinement = CONFINEMENT) =>
	bubblewrapArgs(confinement, PLACES, {
		isNested: false,
		isRoot: false,
		keepsBackground: false,
		isFiltered: false,
		...nesting,
	});
const placesOf = (args: string[]) => args.join(" ");

test("each place is mounted after what lies above it", () => {
	const text = placesOf(argsFor());
	const order = ["--bind /s/runs/r/tmp /tmp ", "--bind-try /tmp/p /tmp/p", "--ro-bind-try /tmp/p/.git/hooks"].map(
		(op) => text.indexOf(op),
	);
	expect(order).toEqual([...order].sort((one, other) => one - other));
	expect(order[0]).toBeGreaterThan(text.indexOf("--ro-bind / /"));
	expect(text.indexOf("--bind /s/runs/r/output/1 /s/runs/r/1 ")).toBeGreaterThan(text.indexOf("--tmpfs /s "));
});

test("the directories above a mount are mount points of their own, which nobody can rename", () => {
	const path = "/x/proj/a/b/.env";
	const mounts = [
		{ path: "/x/proj", as: "write" as const },
		{ path, as: "hidden file" as const },
	];
	const text = placesOf(argsFor({}, { ...CONFINEMENT, mounts }));
	for (const pin of ["/x/proj/a", "/x/proj/a/b"]) expect(text).toContain(`--bind-try ${pin} ${pin} `);
	expect(text).not.toContain("--bind-try /x /x");
	const inTmp = placesOf(argsFor({}, { ...CONFINEMENT, mounts: [{ path: "/tmp/a/b", as: "write" }] }));
	expect(inTmp).toContain("--tmpfs /tmp/a ");
});

test("what is hidden is an empty directory to which nobody writes by mistake, or an empty file", () => {
	const text = placesOf(argsFor());
	expect(text).toContain("--perms 0555 --tmpfs /h/.ssh");
	expect(text).toContain("--ro-bind /s/runs/r/bin/empty /h/.npmrc");
});

test("where no socket is to be reached an overlay is seen, below all that lies in it; in a sandbox in a sandbox it is there", () => {
	const places = {
		...PLACES,
		seenThrough: new Map([["/h", "/s/through/0/merged"]]),
		sockets: ["/h/a.sock", "/srv/b.sock"],
	};
	const nesting = { isNested: false, isRoot: false, keepsBackground: false, isFiltered: false };
	const text = placesOf(bubblewrapArgs(CONFINEMENT, places, nesting));
	expect(text.indexOf("--ro-bind-try /s/through/0/merged /h ")).toBeLessThan(text.indexOf("--tmpfs /h/.ssh"));
	expect([text.includes("/h/a.sock"), text.includes("--ro-bind /s/runs/r/bin/empty /srv/b.sock ")]).toEqual([
		false,
		true,
	]);
	expect(placesOf(bubblewrapArgs(CONFINEMENT, places, { ...nesting, isNested: true }))).not.toMatch(/through|b\.sock/);
	expect(text.match(/--remount-ro \S+/g)?.sort()).toEqual(["--remount-ro /run", "--remount-ro /s"]);
});

test("what is hidden where commands have another directory is not mounted there, but in what they see of it", () => {
	const mounts = ["/tmp/other/agent.sock", "/tmp/p/hidden", "/run/docker.sock", "/h/.ssh/agent"].map((path) => ({
		path,
		as: "hidden file" as const,
	}));
	const text = placesOf(argsFor({}, { ...CONFINEMENT, mounts: [...CONFINEMENT.mounts, ...mounts] }));
	expect(mounts.map(({ path }) => text.includes(` ${path} `))).toEqual([false, true, false, false]);
	expect(text).not.toContain("/tmp/other");
});

test("a sandbox in a sandbox has the /tmp of the outer one, and the agent's directory as it is there", () => {
	const text = placesOf(argsFor({ isNested: true }));
	expect(text).toContain("--bind /tmp /tmp");
	expect(text).toContain("--bind-try /s/runs/r/1 /s/runs/r/1 ");
});

test("of the pipes and the output of others a sandbox in a sandbox has only what it may read", () => {
	const own = { output: "/s/runs/r/1/1", pipes: "/run/r.pipes/1/1" };
	const readable = [{ path: "/s/runs/r/1/out", from: "/s/runs/r/1/out" }];
	const nesting = { isNested: true, isRoot: false, keepsBackground: false, isFiltered: false };
	const text = placesOf(bubblewrapArgs(CONFINEMENT, { ...PLACES, ...own, readable }, nesting));
	const order = ["--tmpfs /s ", "--tmpfs /s/runs/r/1 ", "--bind-try /s/runs/r/1/1 ", "--ro-bind-try /s/runs/r/1/out "];
	const positions = order.map((op) => text.indexOf(op));
	expect(positions).toEqual([...positions].sort((one, other) => one - other));
	expect(positions[0]).toBeGreaterThan(0);
	expect(text.indexOf("--tmpfs /run/r.pipes/1 ")).toBeLessThan(text.indexOf("--bind-try /run/r.pipes/1/1 "));
	expect(text).not.toMatch(/--remount-ro \/(s\/runs|run\/r\.pipes)/);
});

test("root covers what of /proc changes the machine, and below it the process numbers are shared", () => {
	expect(argsFor({ isRoot: true })).toContain("/proc/sys");
	expect(argsFor()).not.toContain("/proc/sys");
	const nested = argsFor({ isRoot: true, isNested: true });
	expect([nested.includes("--unshare-pid"), nested.includes("--proc")]).toEqual([false, false]);
	expect(placesOf(nested)).toContain("--bind-try /proc /proc");
});

test("the run's proxy is there for an agent that may reach hosts, or has one below it that may", () => {
	const bound = "--bind-try /run/r.proxy /run/r.proxy";
	const isBound = (network: Confinement["network"]) =>
		placesOf(argsFor({}, { ...CONFINEMENT, network })).includes(bound);
	expect((["host", "proxy", "none"] as const).map(isBound)).toEqual([true, true, false]);
});

test("what is kept in the background outlives its agent", () => {
	expect(argsFor()).toContain("--die-with-parent");
	expect(argsFor({ keepsBackground: true })).not.toContain("--die-with-parent");
});

test("a cache is a layer of the run's, also the directories above a mount in it; in another sandbox it is there already", () => {
	const mounts = [
		{ path: "/h/.cache", as: "copy" as const },
		{ path: "/h/.cache/a/agent.sock", as: "hidden file" as const },
		{ path: "/h/.npm", as: "copy" as const },
	];
	const confinement = { ...CONFINEMENT, mounts };
	const text = placesOf(argsFor({}, confinement));
	const layer = "/s/runs/r/layers/0/merged";
	expect(text).toContain(`--bind-try ${layer} /h/.cache `);
	expect(text).toContain(`--bind-try ${layer}/a /h/.cache/a `);
	expect(text).toContain("--ro-bind-try /h/.npm /h/.npm"); // no layer could be made
	expect(placesOf(argsFor({ isNested: true }, confinement))).toContain("--bind-try /h/.npm /h/.npm");
});

test("of two mounts at one path only the one is made that counts, but for a layer, which may not be there", () => {
	const write = (path: string) => ({ path, as: "write" as const });
	const mounts = [
		{ path: "/h/p", as: "read" as const },
		write("/h/p"),
		write("/h/.cache"),
		{ path: "/h/.cache", as: "copy" as const },
	];
	const text = placesOf(argsFor({}, { ...CONFINEMENT, mounts }));
	expect(text).not.toContain("--ro-bind-try /h/p ");
	expect(text).toContain("--bind-try /h/p /h/p");
	expect(text).toMatch(
		/--bind-try \/h\/\.cache \/h\/\.cache .*--bind-try \/s\/runs\/r\/layers\/0\/merged \/h\/\.cache/,
	);
});
