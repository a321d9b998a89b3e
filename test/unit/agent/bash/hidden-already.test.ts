import { expect, test } from "vitest";
import { type SeenMounts, withoutHidden } from "../../../../src/agent/bash/hidden-already.ts";

const E = "/s/runs/r/bin/empty";
const ARGS = [
	...[
		"--unshare-user",
		"--cap-drop",
		"ALL",
		"--ro-bind",
		"/",
		"/",
		"--dev",
		"/dev",
		"--perms",
		"0555",
		"--tmpfs",
		"/run",
	],
	...[
		"--bind",
		"/tmp",
		"/tmp",
		"--perms",
		"0555",
		"--tmpfs",
		"/h/.ssh",
		"--ro-bind",
		E,
		"/h/.npmrc",
		"--bind",
		"/p",
		"/p",
	],
	...[
		"--ro-bind-try",
		"/p/.git/hooks",
		"/p/.git/hooks",
		"--perms",
		"0555",
		"--tmpfs",
		"/s",
		"--ro-bind",
		E,
		"/s/secret",
	],
];
const seen = (mounts: readonly string[], files: readonly string[]) => (): SeenMounts => ({
	isEmptyMount: (path) => mounts.includes(path),
	isSameFile: (one, other) => one === E && files.includes(other),
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
