import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { beginLaterLook } from "../../../src/worktree/look-for-later.ts";
import { laterLines } from "../../../src/worktree/runs-later.ts";

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
function beginIn({ top, put }: ReturnType<typeof project>) {
	const timeOf = () => {
		put("clock", "x");
		return statSync(join(top, "clock")).ctimeMs;
	};
	const before = timeOf();
	let now = before;
	while (now === before) now = timeOf();
	return beginLaterLook(top, { person: person([]), now: () => now });
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
		"changed here, and run when you use:",
		"  git: .git/hooks/post-commit, .git/rebase-merge/git-rebase-todo, linked/.git (leads to a repository), and 2 more",
		"  an editor or another agent: .idea, deep/er/.vscode/tasks.json",
		"  a shell: .envrc",
		"  an installation of packages: package.json (postinstall, prepare), sub/package.json (install)",
		"  a build: Makefile, a/conftest.py, b/conftest.py, and 1 more",
	]);
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
