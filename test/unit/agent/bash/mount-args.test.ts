import { expect, test } from "vitest";
import {
	hides,
	mountSteps,
	mountsThere,
	type SeenMounts,
	withoutHidden,
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
		...after,
	];
	const isThere = (path: string) => !path.endsWith("gone");
	expect(mountsThere(args, isThere)).toEqual([...before, ...file("/h/a"), ...directory("/h/b"), ...after]);
});

const E = "/s/runs/r/bin/empty";
const ARGS = [
	..."--unshare-user --cap-drop ALL --ro-bind / / --dev /dev --perms 0555 --tmpfs /run --bind /tmp /tmp".split(" "),
	...`--perms 0555 --tmpfs /h/.ssh --ro-bind ${E} /h/.npmrc --bind /p /p`.split(" "),
	...`--ro-bind-try /p/.git/hooks /p/.git/hooks --perms 0555 --tmpfs /s --ro-bind ${E} /s/secret`.split(" "),
];
const seen = (mounts: readonly string[], files: readonly string[]) => (): SeenMounts => ({
	isEmptyMount: (path) => mounts.includes(path),
	isSameFile: (one, other) => one === E && files.includes(other),
	mountAt: () => undefined,
});

test("what is hidden here already is not hidden once more, and all else stays in its order", () => {
	const args = withoutHidden(ARGS, seen(["/h/.ssh"], ["/h/.npmrc"]));
	const gone = ["--perms", "0555", "--tmpfs", "/h/.ssh", "--ro-bind", E, "/h/.npmrc"].join(" ");
	expect(args.join(" ")).toBe(ARGS.join(" ").replace(` ${gone}`, ""));
});

test("where nothing is hidden nothing is left out", () => {
	expect(withoutHidden(ARGS, seen([], []))).toEqual(ARGS);
});

test("what lies below a mount that is made is hidden in it, whatever is to be seen now", () => {
	expect(withoutHidden(ARGS, seen([], ["/s/secret"]))).toEqual(ARGS);
	const without = withoutHidden(ARGS, seen(["/s"], ["/s/secret"])).join(" ");
	expect(without).not.toContain("/s/secret");
});

test("where it cannot be seen what is hidden nothing is left out", () => {
	const blind = () => {
		throw new Error("EACCES");
	};
	expect(withoutHidden(ARGS, blind)).toBe(ARGS);
});

/** `mounts`: with what is mounted at each. */
const mounted = (mounts: Readonly<Record<string, "read-only" | "writable">>) => (): SeenMounts => ({
	isEmptyMount: () => false,
	isSameFile: () => false,
	mountAt: (path) => mounts[path],
});
const bind = (path: string) => ["--bind-try", path, path];
const keep = (path: string) => ["--ro-bind-try", path, path];
const hide = (path: string) => ["--perms", "0555", "--tmpfs", path];
const READ_ONLY = ["--ro-bind", "/", "/"];

test("what is kept in a writable place comes along with that, so it is not kept once more", () => {
	const args = [...READ_ONLY, ...bind("/p"), ...bind("/p/.git"), ...keep("/p/.git/hooks")];
	const there = mounted({ "/p/.git": "writable", "/p/.git/hooks": "read-only" });
	expect(withoutHidden(args, there)).toEqual([...READ_ONLY, ...bind("/p")]);
});

test.each([
	["is bound in another way before", [...bind("/p"), ...keep("/p/a"), ...bind("/p/a")], { "/p/a": "writable" }],
	["is not mounted yet", [...bind("/p"), ...keep("/p/a")], {}],
	["is mounted writable", [...bind("/p"), ...keep("/p/a")], { "/p/a": "writable" }],
	["lies in what is hidden from now on", [...hide("/p"), ...keep("/p/a")], { "/p/a": "read-only" }],
	[
		"lies in a place that something else is mounted on",
		["--bind", "/q", "/p", ...keep("/p/a")],
		{ "/p/a": "read-only" },
	],
	["is a writable place in one that is read-only", bind("/p/a"), { "/p/a": "writable" }],
	["is a writable place in one that is kept", [...keep("/p"), ...bind("/p/a")], { "/p/a": "writable" }],
] as const)("it is mounted again where it %s", (_, mounts, there) => {
	expect(withoutHidden([...READ_ONLY, ...mounts], mounted(there))).toEqual([...READ_ONLY, ...mounts]);
});
