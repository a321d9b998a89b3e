import { spawnSync } from "node:child_process";
import { linkSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { beginLaterLook } from "../../../../src/project/undo/look-for-later.ts";
import { laterLines } from "../../../../src/project/undo/runs-later.ts";

function project() {
	const top = mkdtempSync(join(tmpdir(), "agentree-later-"));
	onTestFinished(() => rmSync(top, { recursive: true }));
	const put = (path: string, text = "") => {
		mkdirSync(dirname(join(top, path)), { recursive: true });
		writeFileSync(join(top, path), text);
	};
	const git = (...args: string[]) =>
		spawnSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], {
			cwd: top,
			env: { PATH: process.env.PATH },
		});
	git("init", "-q");
	git("init", "-q", "old");
	put("package.json", '{"scripts":{"test":"x","prepare":"husky"}}');
	put("deep/er/.vscode/tasks.json");
	put("Makefile");
	return { top, put, git };
}

const person = (homes: readonly string[]) => ({ homes, owners: [process.getuid?.() ?? 0] });

/** A look that begins at the kernel's next time for files, which goes on by some milliseconds at once. */
function beginIn({ top, put }: ReturnType<typeof project>, isUnkept: (directory: string) => boolean = () => false) {
	const timeOf = () => {
		put("clock", "x");
		return statSync(join(top, "clock")).ctimeMs;
	};
	const before = timeOf();
	let now = before;
	while (now === before) now = timeOf();
	return beginLaterLook(top, { person: person([]), now: () => now, isUnkept });
}

test("nothing is told of ordinary work", () => {
	const one = project();
	const look = beginIn(one);
	one.put("package.json", '{"dependencies":{"a":"1"},"scripts":{"test":"y","prepare":"husky"}}');
	one.put("src/a.ts");
	one.put("node_modules/x/.vscode/tasks.json");
	one.put("vendor/x/Makefile");
	one.put("a/b/c/d/Makefile");
	mkdirSync(join(one.top, ".idea")); // a placeholder of a sandbox
	one.git("add", ".");
	one.git("commit", "-qm", "made");
	one.git("config", "a.b", "c");
	expect(look()).toEqual([]);
});

test("what git, an editor, a shell, an installation and a build run is told, a line each", () => {
	const one = project();
	const look = beginIn(one);
	one.git("init", "-q", "new");
	one.git("-C", "old", "config", "core.fsmonitor", "evil");
	one.put("linked/.git", "gitdir: ../new/.git");
	one.put(".git/hooks/post-commit");
	one.put(".git/rebase-merge/git-rebase-todo", "pick a\nexec evil\n");
	one.put("deep/er/.vscode/tasks.json", "{}");
	symlinkSync("/elsewhere", join(one.top, ".idea"));
	one.put(".envrc");
	one.put("package.json", '{"scripts":{"postinstall":"evil","prepare":"husky && evil"}}');
	one.put("sub/package.json", '{"scripts":{"install":"evil"}}');
	one.put("Makefile", "all:");
	for (const name of ["a", "b", "c"]) one.put(`${name}/conftest.py`);
	expect(laterLines(look())).toEqual([
		"changed files that run when you use:",
		"  git: .git/hooks/post-commit, .git/rebase-merge/git-rebase-todo, linked/.git (leads to a repository) (2 more)",
		"  an editor or another agent: .idea, deep/er/.vscode/tasks.json",
		"  a shell: .envrc",
		"  a package installation: package.json (postinstall, prepare), sub/package.json (install)",
		"  a build: Makefile, a/conftest.py, b/conftest.py (1 more)",
	]);
});

test("what a repository has beside its own directory is told: a submodule's made for its name, an unfinished operation with commands", () => {
	const one = project();
	one.put(".git/worktrees/linked/HEAD", "ref: refs/heads/main\n");
	one.put(".git/worktrees/linked/commondir", "../..\n");
	one.put(".git/modules/old/HEAD", "ref: refs/heads/main\n");
	one.put("template/HEAD", "ref: refs/heads/main\n");
	one.put("todo", "exec evil\n");
	const look = beginIn(one, (directory) => directory === join(one.top, "deep/.git"));
	one.put(".git/modules/group/new/HEAD", "ref: refs/heads/main\n");
	one.put(".git/modules/group/new/config", "[core]\n\tfsmonitor = evil\n");
	one.put(".git/modules/old/config", "[core]\n\tfsmonitor = evil\n");
	one.put(".git/modules/old/commondir", ".\n"); // as it stands for a sandbox
	one.put(".git/modules/old/config.worktree");
	one.put(".git/worktrees/linked/rebase-merge/git-rebase-todo", "exec evil\n");
	one.put(".git/worktrees/linked/config.worktree", "[core]\n\tfsmonitor = evil\n");
	one.put(".git/sequencer/opts", "[options]\n\tstrategy = x/evil\n");
	mkdirSync(join(one.top, ".git/rebase-merge"));
	symlinkSync("../../todo", join(one.top, ".git/rebase-merge/git-rebase-todo"));
	one.put("old/.git/sequencer", "no directory");
	one.git("init", "-q", "--bare", "bare");
	linkSync(join(one.top, ".git/config"), join(one.top, "other-name"));
	one.put("other-name", "[core]\n\tfsmonitor = evil\n");
	renameSync(join(one.top, "template"), join(one.top, "deep/.git"));
	expect(
		look()
			.map(({ path, what = "" }) => `${path} ${what}`.trim())
			.sort(),
	).toEqual([
		".git/config",
		".git/modules/group/new a new repository",
		".git/modules/old/config",
		".git/rebase-merge/git-rebase-todo",
		".git/sequencer/opts",
		".git/worktrees/linked/config.worktree",
		".git/worktrees/linked/rebase-merge/git-rebase-todo",
		"bare a new repository",
		"deep/.git a new repository",
	]);
});

test("what is put under such a name by a link, or with its directory, is told", () => {
	const one = project();
	one.put("template/tasks.json");
	one.put("cargo/config.toml");
	one.put("other.json", '{"scripts":{"postinstall":"evil"}}');
	one.put("real.mk");
	symlinkSync("real.mk", join(one.top, "GNUmakefile"));
	const look = beginIn(one);
	renameSync(join(one.top, "template"), join(one.top, "deep/.zed"));
	symlinkSync("cargo", join(one.top, ".cargo"));
	rmSync(join(one.top, "package.json"));
	symlinkSync("other.json", join(one.top, "package.json"));
	one.put("real.mk", "all: evil");
	one.put("sub/package.json", '{"scripts":{"dependencies":"evil"}}');
	one.put("large/package.json", " ".repeat(1024 * 1024 + 1));
	expect(look()).toEqual([
		{ when: "build", path: ".cargo" },
		{ when: "build", path: "GNUmakefile" },
		{ when: "packages", path: "package.json", what: "postinstall" },
		{ when: "packages", path: "large/package.json", what: "too large to look into" },
		{ when: "packages", path: "sub/package.json", what: "dependencies" },
		{ when: "editor", path: "deep/.zed/tasks.json" },
	]);
});

test("of a linked work tree what is told lies where its repository is, once", () => {
	const one = project();
	one.git("commit", "-q", "--allow-empty", "-m", "made");
	const top = `${one.top}-linked`;
	one.git("worktree", "add", "-q", top, "-b", "linked");
	onTestFinished(() => rmSync(top, { recursive: true }));
	const look = beginIn({ ...one, top, put: (path, text) => writeFileSync(join(top, path), text ?? "") });
	const todo = `.git/worktrees/${basename(top)}/rebase-merge/git-rebase-todo`;
	one.put(todo, "exec evil\n");
	one.put(".git/hooks/post-commit");
	expect(look().map(({ path }) => path)).toEqual([`${one.top}/.git/hooks/post-commit`, join(one.top, todo)]);
});

test("what was made while nobody looked is told, too", () => {
	const one = project();
	const since = Date.now() - 60_000;
	one.put("package.json", '{"scripts":{"prepare":"evil"}}');
	const look = beginLaterLook(one.top, { person: person([]), now: Date.now, since });
	const told = look().map(({ path }) => path);
	expect(told).toContain("Makefile");
	expect(told).toContain("package.json");
});

// Nothing can be mounted where nothing is.
test("a home directory is no project: there start files of shells and the like are told that are new", () => {
	const { top, put } = project();
	put(".profile", "x");
	const look = beginLaterLook(top, { person: person([top]), now: Date.now });
	for (const name of [".envrc", "Makefile", ".profile", ".bash_history"]) put(name, "y");
	expect(look()).toEqual([]);
	put(".bash_profile", "x");
	put(".config/autostart/x.desktop", "x");
	expect(
		look()
			.map(({ when, path }) => `${when} ${path}`)
			.sort(),
	).toEqual(["shell .bash_profile", "shell .config"]);
});
