import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { gitBranch } from "../../../../src/cli/chat/chat-host.ts";

function directory(): string {
	const made = mkdtempSync(join(tmpdir(), "agentree-branch-"));
	onTestFinished(() => rmSync(made, { recursive: true }));
	return made;
}

test("the branch of the repository around a directory, or the beginning of a commit", () => {
	const top = directory();
	for (const name of [".git/objects", ".git/refs", "a/b"]) mkdirSync(join(top, name), { recursive: true });
	writeFileSync(join(top, ".git/HEAD"), "ref: refs/heads/fix/this\n");
	expect(gitBranch(join(top, "a/b"))).toBe("fix/this");
	writeFileSync(join(top, ".git/HEAD"), "0123456789abcdef0123456789abcdef01234567\n");
	expect(gitBranch(top)).toBe("0123456");
});

test("that of a work tree whose .git is a file", () => {
	const top = directory();
	for (const name of ["worktrees/w", "objects", "refs"]) mkdirSync(join(top, "main/.git", name), { recursive: true });
	mkdirSync(join(top, "w"));
	writeFileSync(join(top, "w/.git"), "gitdir: ../main/.git/worktrees/w\n");
	writeFileSync(join(top, "main/.git/worktrees/w/HEAD"), "ref: refs/heads/w\n");
	writeFileSync(join(top, "main/.git/worktrees/w/commondir"), "../..\n");
	expect(gitBranch(join(top, "w"))).toBe("w");
});

test("none outside of a repository, and in one that is damaged", () => {
	const top = directory();
	mkdirSync(join(top, ".git"));
	expect(gitBranch(top)).toBeUndefined();
	expect(gitBranch("/proc")).toBeUndefined();
});

// Seen to fail: the link threw, which ended the conversation, and the FIFO held it up forever.
test("none where .git leads to itself, and where HEAD is a FIFO", () => {
	const top = directory();
	symlinkSync(".git", join(top, ".git"));
	expect(gitBranch(top)).toBeUndefined();
	rmSync(join(top, ".git"));
	mkdirSync(join(top, ".git"));
	execFileSync("mkfifo", [join(top, ".git/HEAD")]);
	expect(gitBranch(top)).toBeUndefined();
});
