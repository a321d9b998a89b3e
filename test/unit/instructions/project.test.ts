import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { projectOf } from "../../../src/instructions/project.ts";

function directory(...names: string[]): string {
	const made = realpathSync(mkdtempSync(join(tmpdir(), "agentree-project-")));
	onTestFinished(() => rmSync(made, { recursive: true, force: true }));
	for (const name of names) mkdirSync(join(made, name), { recursive: true });
	return made;
}

test("the root is the nearest repository upward, and its directories lead down from there", () => {
	const at = directory("repo/.git", "repo/a/b", "repo/sub/x");
	writeFileSync(join(at, "repo/sub/.git"), "gitdir: ../.git/modules/sub\n"); // as in a submodule or another work tree
	const repo = join(at, "repo");
	expect(projectOf(join(repo, "a/b"))).toEqual({ root: repo, directories: [repo, join(repo, "a"), join(repo, "a/b")] });
	expect(projectOf(repo)).toEqual({ root: repo, directories: [repo] });
	expect(projectOf(join(repo, "sub/x"))?.root).toBe(join(repo, "sub"));
});

test("without a repository the directory is all there is", () => {
	const at = directory("a/b");
	expect(projectOf(join(at, "a/b"))).toEqual({ root: join(at, "a/b"), directories: [join(at, "a/b")] });
});

test("links are resolved first: what counts is where the directory lies", () => {
	const at = directory("repo/.git", "repo/a", "elsewhere");
	symlinkSync(join(at, "repo/a"), join(at, "elsewhere/link"));
	expect(projectOf(join(at, "elsewhere/link"))?.root).toBe(join(at, "repo"));
});

test("a repository in the home directory is not that of what lies below it, but of the home itself", () => {
	const home = directory(".git", "work/x");
	expect(projectOf(join(home, "work/x"), { home })?.root).toBe(join(home, "work/x"));
	expect(projectOf(home, { home })?.root).toBe(home);
	symlinkSync(home, `${home}-link`);
	onTestFinished(() => rmSync(`${home}-link`));
	expect(projectOf(join(home, "work/x"), { home: `${home}-link` })?.root).toBe(join(home, "work/x"));
});

// Seen to fail without the look at the directory's mode: anybody's .git in /tmp was the root of all that is below.
test("a repository where everyone may write counts for that directory alone", () => {
	const at = directory(".git", "mine");
	chmodSync(at, 0o1777);
	expect(projectOf(join(at, "mine"))?.root).toBe(join(at, "mine"));
	expect(projectOf(at)?.root).toBe(at);
});

test("a known root is one without a repository, too, and a repository below it is another project", () => {
	const at = directory("a/b", "a/clone/.git");
	expect(projectOf(join(at, "a/b"), { roots: [at] })?.directories).toEqual([at, join(at, "a"), join(at, "a/b")]);
	expect(projectOf(join(at, "a/clone"), { roots: [at] })?.root).toBe(join(at, "a/clone"));
});

test("what is no directory has no project", () => {
	const at = directory();
	writeFileSync(join(at, "file"), "");
	for (const path of [join(at, "file"), join(at, "none"), "", "\0"]) expect(projectOf(path)).toBeUndefined();
});
