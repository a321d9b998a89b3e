import { expect, test } from "vitest";
import { hides, mountSteps } from "../../../../src/agent/bash/mount-args.ts";

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
