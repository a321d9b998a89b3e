import { expect, test } from "vitest";
import {
	hides,
	mountSteps,
	mountsThere,
	type SeenMounts,
	uncovered,
	withoutThere,
} from "../../../../src/agent/bash/mount-args.ts";

const WAYS: readonly (readonly string[])[] = [
	["--perms", "0555", "--tmpfs", "/h/.ssh"],
	["--ro-bind", "/run/empty", "/h/.npmrc"],
	["--ro-bind", "/", "/"],
	["--ro-bind-try", "/p/.git/hooks", "/p/.git/hooks"],
	["--bind", "/s/tmp", "/tmp"],
	["--bind-try", "/p", "/p"],
	["--dev", "/dev"],
	["--proc", "/proc"],
];

test("each mount is one step with its path, each other word a step of its own, and nothing is lost", () => {
	const args = ["--unshare-user", "--seccomp", "4", ...WAYS.flat()];
	const steps = mountSteps(args);
	expect(steps.flatMap(({ words }) => words)).toEqual(args);
	expect(steps.slice(0, 3).map(({ mount }) => mount)).toEqual([undefined, undefined, undefined]);
	expect(steps.slice(3).map(({ mount }) => mount?.path)).toEqual(WAYS.map((words) => words.at(-1)));
});

test("an empty directory, or an empty file from elsewhere, hides what is there", () => {
	const hiding = mountSteps(WAYS.flat()).flatMap(({ mount }) => (mount && hides(mount) ? [mount.path] : []));
	expect(hiding).toEqual(["/h/.ssh", "/h/.npmrc"]);
});

test("what hides or keeps a place that is gone is left out, and all else stays", () => {
	const before = ["--ro-bind", "/", "/", "--bind", "/p", "/p", "--dev", "/dev"];
	const file = (path: string) => ["--ro-bind", "/run/empty", path];
	const directory = (path: string) => ["--perms", "0555", "--tmpfs", path];
	const after = ["--seccomp", "4", "--ro-bind-try", "/kept", "/kept", "--ro-bind-try", "/elsewhere/gone", "/kept"];
	const args = [
		...before,
		...file("/h/gone"),
		...directory("/h/gone"),
		...file("/h/a"),
		...directory("/h/b"),
		...["--bind-try", "/gone", "/gone", "--ro-bind-try", "/gone", "/gone"],
		...["--remount-ro", "/h/gone", "--remount-ro", "/h/b"],
		...after,
	];
	const isThere = (path: string) => !path.endsWith("gone");
	const kept = [...file("/h/a"), ...directory("/h/b"), "--remount-ro", "/h/b"];
	expect(mountsThere(args, isThere)).toEqual([...before, ...kept, ...after]);
});

const E = "/s/runs/r/bin/empty";

/** What is mounted at each path: a word for an empty file system of its own, one for all else. */
const seen =
	(
		mounts: Readonly<Record<string, "ro" | "rw" | "ro tmpfs" | "rw tmpfs">>,
		names: Readonly<Record<string, readonly string[]>> = {},
	) =>
	(): SeenMounts => ({
		mounts: new Map(
			Object.entries(mounts).map(([path, is]) => [
				path,
				{ isReadOnly: is.startsWith("ro"), isTmpfs: is.endsWith("tmpfs") },
			]),
		),
		isSameFile: (one, other) => one === E && mounts[other] !== undefined,
		namesIn: (directory) => names[directory] ?? [],
	});
const READ_ONLY = ["--ro-bind", "/", "/"];
const AS_IT_IS = ["--bind", "/", "/"];
const bind = (path: string) => ["--bind-try", path, path];
const keep = (path: string) => ["--ro-bind-try", path, path];
const hide = (path: string) => ["--perms", "0555", "--tmpfs", path];
const hideFile = (path: string) => ["--ro-bind", E, path];
const remount = (path: string) => ["--remount-ro", path];
const DEV = ["--dev", "/dev"];

test("in a sandbox like the one that is wanted nothing is mounted once more but devices and what is covered", () => {
	const own = ["--unshare-user", "--cap-drop", "ALL"];
	const places = [
		...bind("/tmp"),
		...hide("/h/.ssh"),
		...hideFile("/h/.npmrc"),
		...bind("/p"),
		...keep("/p/.git/hooks"),
	];
	const state = [...hide("/s"), ...keep("/s/bin")];
	const cover = [...hide("/s/1"), ...bind("/s/1/1"), ...keep("/s/1/out")];
	const there = {
		...({
			"/": "ro",
			"/dev": "rw tmpfs",
			"/dev/null": "rw",
			"/tmp": "rw",
			"/h/.ssh": "ro tmpfs",
			"/h/.npmrc": "ro",
		} as const),
		...({
			"/p": "rw",
			"/p/.git/hooks": "ro",
			"/s": "ro tmpfs",
			"/s/bin": "ro",
			"/s/1": "rw",
			"/s/1/out": "ro",
		} as const),
	};
	const args = [...own, ...READ_ONLY, ...DEV, ...places, ...state, ...cover, ...remount("/s")];
	const short = withoutThere(args, "", seen(there, { "/s": ["bin", "1"] }));
	expect(short).toEqual([...own, ...AS_IT_IS, ...DEV, ...cover]);
});

test("what is writable and not wanted so is read-only, whoever has made it so", () => {
	const args = [...READ_ONLY, ...DEV, ...bind("/p")];
	expect(withoutThere(args, "", seen({ "/": "rw", "/p": "rw" }))).toEqual(args);
	expect(withoutThere(args, "", seen({ "/": "ro", "/p": "rw", "/other": "rw" }))).toEqual(args);
	expect(withoutThere(args, "", seen({ "/": "ro", "/p": "rw", "/dev/null": "rw" }))).toEqual([...AS_IT_IS, ...DEV]);
	const narrow = [...READ_ONLY, ...keep("/p"), ...bind("/p/a")];
	expect(withoutThere(narrow, "", seen({ "/": "ro", "/p": "rw", "/p/a": "rw" }))).toEqual([
		...AS_IT_IS,
		...keep("/p"),
		...bind("/p/a"),
	]);
});

test.each([
	["can be written to", { "/h/.ssh": "rw tmpfs" }, {}],
	["has something in it", { "/h/.ssh": "ro tmpfs" }, { "/h/.ssh": ["id"] }],
	["has a mount in it that is not wanted", { "/h/.ssh": "ro tmpfs", "/h/.ssh/id": "ro" }, { "/h/.ssh": ["id"] }],
	["is not hidden", { "/h/.ssh": "ro" }, {}],
	["is not mounted", {}, {}],
] as const)("a directory is hidden once more that %s", (_, mounts, names) => {
	const args = [...READ_ONLY, ...hide("/h/.ssh")];
	const short = withoutThere(args, "", seen({ "/": "ro", ...mounts }, names));
	expect(short).toEqual([...AS_IT_IS, ...hide("/h/.ssh")]);
});

test.each([
	["is bound in another way before", [...bind("/p"), ...keep("/p/a"), ...bind("/p/a")], { "/p/a": "rw" }],
	["is not mounted yet", [...bind("/p"), ...keep("/p/a")], {}],
	["is mounted writable", [...bind("/p"), ...keep("/p/a")], { "/p/a": "rw" }],
	["lies in what is hidden from now on", [...hide("/p"), ...keep("/p/a")], { "/p/a": "ro" }],
	["lies in a place that something else is mounted on", ["--bind", "/q", "/p", ...keep("/p/a")], { "/p/a": "ro" }],
	["is a writable place in one that is read-only", bind("/p/a"), { "/p/a": "rw" }],
	["is a writable place in one that is kept", [...keep("/p"), ...bind("/p/a")], { "/p/a": "rw" }],
	["hides a file in what is hidden from now on", [...hide("/p"), ...hideFile("/p/a")], { "/p/a": "ro" }],
] as const)("where all has to be made read-only it is mounted again if it %s", (_, mounts, there) => {
	expect(withoutThere([...READ_ONLY, ...mounts], "", seen({ "/": "rw", ...there }))).toEqual([...READ_ONLY, ...mounts]);
});

test("what is kept in a writable place comes along with that, so it is not kept once more", () => {
	const args = [...READ_ONLY, ...bind("/p"), ...bind("/p/.git"), ...keep("/p/.git/hooks")];
	const there = seen({ "/": "rw", "/p/.git": "rw", "/p/.git/hooks": "ro" });
	expect(withoutThere(args, "", there)).toEqual([...READ_ONLY, ...bind("/p")]);
});

test("where it cannot be seen what is mounted nothing is left out", () => {
	const blind = () => {
		throw new Error("EACCES");
	};
	const args = [...READ_ONLY, ...bind("/p")];
	expect(withoutThere(args, "", blind)).toBe(args);
});

test("of mounts at one path, and of those above it, the one is seen that lies over the others", () => {
	const table = `20 1 8:1 / / ro,relatime - ext4 /dev/vda rw
21 20 0:6 / /dev rw shared:2 - devtmpfs devtmpfs rw
22 21 0:7 / /dev/shm rw - tmpfs tmpfs rw
23 21 0:8 / /dev ro - tmpfs tmpfs rw
24 20 8:1 /p /home/a\\040b rw - ext4 /dev/vda rw
25 20 0:9 / /home ro - tmpfs tmpfs rw
26 24 0:9 / /home/a\\040b/c rw - tmpfs tmpfs rw
27 25 0:9 /x /home/d rw,nosuid - tmpfs tmpfs ro
`;
	expect([...uncovered(table)].sort()).toEqual([
		["/", { isReadOnly: true, isTmpfs: false }],
		["/dev", { isReadOnly: true, isTmpfs: true }],
		["/home", { isReadOnly: true, isTmpfs: true }],
		["/home/d", { isReadOnly: false, isTmpfs: false }],
	]);
	expect(uncovered(`${table}28 20 8:1 / / ro - ext4 /dev/vda rw\n`).size).toBe(0); // which of both a process sees is not told
	expect([...uncovered("1 0 8:1 / / rw - ext4 x rw\n2 1 8:1 / /a\\040b ro - ext4 x rw\n").keys()]).toEqual([
		"/",
		"/a b",
	]);
	expect([...uncovered("1 0 8:1 / / rw - ext4 x rw\n2 1 8:1 / /a\u00a0b rw - ext4 x rw\n").keys()]).toEqual([
		"/",
		"/a\u00a0b",
	]);
	expect(() => uncovered("1 0 8:1 / / rw - ext4 x rw\n2 1 8:1 / /a rw\n")).toThrow();
});
