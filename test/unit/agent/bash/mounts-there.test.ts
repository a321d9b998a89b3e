import { expect, test } from "vitest";
import { mountsThere } from "../../../../src/agent/bash/mount-args.ts";

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
