import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { personOf, projectOf } from "../../../src/project/project-of.ts";
import { makeRepository } from "../../make-repository.ts";

const UID = process.getuid?.() ?? 0;

/** Of these names those that end in `.git` are repositories. */
function directory(...names: string[]): string {
	const made = realpathSync(mkdtempSync(join(tmpdir(), "agentree-project-")));
	onTestFinished(() => rmSync(made, { recursive: true, force: true }));
	for (const name of names)
		if (name.endsWith(".git")) makeRepository(join(made, name));
		else mkdirSync(join(made, name), { recursive: true });
	return made;
}

interface Asked {
	readonly at: string;
	readonly cwd: string;
	readonly homes?: readonly string[];
	readonly owners?: readonly number[];
	readonly known?: readonly string[];
}

/** The top of the project, where a repository is that of it with `/ .git`'s place, and the homes in it. Paths are below `at`. */
function found({ at, cwd, homes = [], owners = [UID], known = [] }: Asked) {
	const below = (path: string) => path.slice(at.length + 1) || ".";
	const project = projectOf(join(at, cwd), { homes: homes.map((home) => join(at, home)), owners }, known);
	const { top, repository } = project ?? {};
	return [
		top && below(top),
		...(repository === undefined ? [] : [below(repository.directory)]),
		...(project?.homes ?? []).map((home) => `home ${below(home)}`),
	];
}

test("the project is the tree of the nearest repository around a directory, else the directory itself", () => {
	const at = directory("repo/.git", "repo/a/b", "repo/inner/.git", "repo/empty/.git/hooks", "plain/x", "bare.git");
	expect(found({ at, cwd: "repo/a/b" })).toEqual(["repo", "repo/.git"]);
	expect(found({ at, cwd: "repo" })).toEqual(["repo", "repo/.git"]);
	expect(found({ at, cwd: "repo/inner" })).toEqual(["repo/inner", "repo/inner/.git"]);
	expect(found({ at, cwd: "repo/empty" })).toEqual(["repo", "repo/.git"]);
	expect(found({ at, cwd: "plain/x" })).toEqual(["plain/x"]);
	expect(found({ at, cwd: "bare.git" })).toEqual(["bare.git", "bare.git"]);
	symlinkSync(join(at, "repo/a"), join(at, "plain/link")); // what counts is where it lies
	expect(found({ at, cwd: "plain/link" })).toEqual(["repo", "repo/.git"]);
});

// Seen to fail: with dotfiles in a repository in the home, all of the home was writable from any directory in it.
test("it is never a home, nor what has one in it: then it is the working directory alone", () => {
	const at = directory(".git", "h/.git", "h/work/x", "h/repo/.git", "h/repo/sub");
	const homes = ["h"];
	expect(found({ at, cwd: "h/work/x", homes })).toEqual(["h/work/x"]);
	expect(found({ at, cwd: "h", homes })).toEqual(["h", "home h"]);
	expect(found({ at, cwd: "h/repo/sub", homes })).toEqual(["h/repo", "h/repo/.git"]);
	symlinkSync(join(at, "h"), join(at, "link"));
	expect(found({ at, cwd: "h/work/x", homes: ["link"] })).toEqual(["h/work/x"]);
	expect(found({ at, cwd: "link/work/x", homes })).toEqual(["h/work/x"]);
	expect(found({ at, cwd: "h/work", homes: ["h/work/x", "h"] })).toEqual(["h/work", "home h/work/x"]); // by HOME, and by the table of users
	expect(found({ at, cwd: "h/repo/sub", homes: ["h/repo/home-of-ci"] })).toEqual(["h/repo", "h/repo/.git"]); // it is not there
	expect(found({ at, cwd: ".", homes })).toEqual([".", "home h"]);
	expect(projectOf("/", { homes: [], owners: [UID] })).toEqual({ start: "/", top: "/", homes: [] });
});

test("the work tree of a repository whose main tree is the home is a project, with what the repository has for it", () => {
	const at = directory("h/.git", "w");
	mkdirSync(join(at, "h/.git/worktrees/w"), { recursive: true });
	writeFileSync(join(at, "h/.git/worktrees/w/HEAD"), "ref: refs/heads/w\n");
	writeFileSync(join(at, "h/.git/worktrees/w/commondir"), "../..\n");
	writeFileSync(join(at, "w/.git"), "gitdir: ../h/.git/worktrees/w\n");
	expect(found({ at, cwd: "w", homes: ["h"] })).toEqual(["w", "h/.git/worktrees/w"]);
});

// Seen to fail: whoever had made a .git in a shared directory above had made all of it the project.
test("what somebody else may have made a repository of counts for that directory alone", () => {
	const at = directory("open/.git", "open/mine", "theirs/.git", "theirs/mine");
	chmodSync(join(at, "open"), 0o1777);
	expect(found({ at, cwd: "open/mine" })).toEqual(["open/mine"]);
	expect(found({ at, cwd: "open" })).toEqual(["open", "open/.git"]);
	expect(found({ at, cwd: "theirs/mine", owners: [UID + 1] })).toEqual(["theirs/mine"]);
	expect(found({ at, cwd: "theirs", owners: [UID + 1] })).toEqual(["theirs", "theirs/.git"]);
	expect(found({ at, cwd: "theirs/mine", owners: [UID + 1, UID] })).toEqual(["theirs", "theirs/.git"]);
});

test("of root also the repositories count of the one who has called sudo, of nobody else those of others", () => {
	const caller = UID === 0 ? [1234] : [];
	expect(personOf({ SUDO_UID: "1234" }).owners).toEqual([UID, ...caller]);
	expect(personOf({ SUDO_UID: "1 2" }).owners).toEqual([UID]);
});

test("a known project needs no repository, and a repository in it is another one", () => {
	const at = directory("a/b", "a/clone/.git", "repo/.git", "repo/known/x");
	const known = [join(at, "a"), join(at, "repo/known")];
	expect(found({ at, cwd: "a/b", known })).toEqual(["a"]);
	expect(found({ at, cwd: "a/clone", known })).toEqual(["a/clone", "a/clone/.git"]);
	expect(found({ at, cwd: "repo/known/x", known })).toEqual(["repo/known"]);
});

test("what is no directory has no project", () => {
	const at = directory();
	writeFileSync(join(at, "file"), "");
	for (const path of [join(at, "file"), join(at, "none"), "", "\0"])
		expect(projectOf(path, { homes: [], owners: [UID] })).toBeUndefined();
});
