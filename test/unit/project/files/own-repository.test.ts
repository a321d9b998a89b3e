/** Repositories are found as git finds them: each is made by git itself, and git is asked. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ownRepository, repositoryAround } from "../../../../src/project/repository-around.ts";

const IDENTITY = ["-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "protocol.file.allow=always"];
const ENVIRONMENT = { PATH: process.env.PATH, HOME: "/nonexistent", GIT_CEILING_DIRECTORIES: tmpdir() };

function git(cwd: string, ...args: string[]): string {
	const { status, stdout, stderr } = spawnSync("git", [...IDENTITY, ...args], {
		cwd,
		encoding: "utf8",
		env: ENVIRONMENT,
	});
	if (status !== 0) throw new Error(stderr);
	return stdout.trimEnd();
}

/** What git says: the tree, the repository, what is shared. */
function askedGit(cwd: string): string[] | undefined {
	try {
		const args = ["rev-parse", "--path-format=absolute", "--show-toplevel", "--git-dir", "--git-common-dir"];
		return git(cwd, ...args)
			.split("\n")
			.map((path) => realpathSync(path));
	} catch {
		return undefined;
	}
}

function found(cwd: string): string[] | undefined {
	const around = repositoryAround(realpathSync(cwd));
	const paths = around && [around.top, around.repository.directory, around.repository.common];
	return paths?.map((path) => realpathSync(path));
}

function directory(): string {
	const made = realpathSync(mkdtempSync(join(tmpdir(), "agentree-found-")));
	onTestFinished(() => rmSync(made, { recursive: true, force: true }));
	mkdirSync(join(made, "p"));
	return made;
}

/** Makes a repository `at` in `d`. */
function repositoryAt(d: string, at: string): void {
	git(d, "init", "-q", at);
	git(join(d, at), "commit", "-q", "--allow-empty", "-m", "first");
}

const pointer = (path: string, to: string) => writeFileSync(join(path, ".git"), `gitdir: ${to}\n`);

/** `own`: below the directory, what is written to; `where`: the working directory. */
const KINDS: readonly { of: string; make: (d: string) => void; where?: string; own?: readonly string[] }[] = [
	{ of: "a directory", make: (d) => repositoryAt(d, "p"), own: ["p/.git"] },
	{
		...{ of: "that of a parent", where: "p/a/b", own: ["p/.git"] },
		make: (d) => {
			repositoryAt(d, "p");
			mkdirSync(join(d, "p/a/b"), { recursive: true });
		},
	},
	{
		...{ of: "that of a parent, over an empty .git", where: "p/a", own: ["p/.git"] },
		make: (d) => {
			repositoryAt(d, "p");
			mkdirSync(join(d, "p/a/.git"), { recursive: true });
		},
	},
	{ of: "a separate directory", make: (d) => git(d, "init", "-q", "--separate-git-dir", "s", "p"), own: ["s"] },
	{
		...{ of: "a link", own: ["real.git"] },
		make: (d) => {
			repositoryAt(d, "p");
			renameSync(join(d, "p/.git"), join(d, "real.git"));
			symlinkSync("../real.git", join(d, "p/.git"));
		},
	},
	{
		...{ of: "a link to a file", own: ["real.git"] },
		make: (d) => {
			repositoryAt(d, "p");
			renameSync(join(d, "p/.git"), join(d, "real.git"));
			writeFileSync(join(d, "pointer"), `gitdir: ${d}/real.git\n`);
			symlinkSync("../pointer", join(d, "p/.git"));
		},
	},
	{
		...{ of: "a worktree", where: "w", own: ["p/.git/worktrees/w", "p/.git"] },
		make: (d) => {
			repositoryAt(d, "p");
			git(join(d, "p"), "worktree", "add", "-q", "../w");
		},
	},
	{
		...{ of: "a worktree with relative paths", where: "w", own: ["p/.git/worktrees/w", "p/.git"] },
		make: (d) => {
			repositoryAt(d, "p");
			git(join(d, "p"), "worktree", "add", "-q", "../w");
			pointer(join(d, "w"), "../p/.git/worktrees/w");
			writeFileSync(join(d, "p/.git/worktrees/w/gitdir"), "../../../../w/.git\n");
		},
	},
	{
		...{ of: "a submodule in a worktree", where: "w/sub", own: ["p/.git/worktrees/w/modules/sub"] },
		make: (d) => {
			for (const at of ["p", "x"]) repositoryAt(d, at);
			git(join(d, "p"), "submodule", "add", "-q", "../x", "sub");
			git(join(d, "p"), "commit", "-q", "-m", "sub");
			git(join(d, "p"), "worktree", "add", "-q", "../w");
			git(join(d, "w"), "submodule", "update", "-q", "--init");
		},
	},
	{
		...{ of: "a checkout of repo", where: "p/src/x", own: ["p/.repo/projects/x.git", "p/.repo/project-objects/x.git"] },
		make: (d) => {
			for (const name of ["p/src", "p/.repo/projects", "p/.repo/project-objects/x.git"])
				mkdirSync(join(d, name), { recursive: true });
			repositoryAt(d, "p/src/x");
			renameSync(join(d, "p/src/x/.git"), join(d, "p/.repo/projects/x.git"));
			renameSync(join(d, "p/.repo/projects/x.git/objects"), join(d, "p/.repo/project-objects/x.git/objects"));
			symlinkSync("../../project-objects/x.git/objects", join(d, "p/.repo/projects/x.git/objects"));
			symlinkSync("../../.repo/projects/x.git", join(d, "p/src/x/.git"));
		},
	},
	{
		...{ of: "an older checkout of repo", where: "p/x", own: ["p/x/.git", "p/.repo/projects/x.git"] },
		make: (d) => {
			mkdirSync(join(d, "p/.repo/projects"), { recursive: true });
			repositoryAt(d, "p/x");
			renameSync(join(d, "p/x/.git"), join(d, "p/.repo/projects/x.git"));
			mkdirSync(join(d, "p/x/.git"));
			renameSync(join(d, "p/.repo/projects/x.git/HEAD"), join(d, "p/x/.git/HEAD"));
			for (const name of ["config", "hooks", "objects", "refs", "info", "logs"])
				symlinkSync(`../../.repo/projects/x.git/${name}`, join(d, "p/x/.git", name));
		},
	},
	{
		...{ of: "that of another tree in the tree, which a file names", own: ["p/sub/.git"] },
		make: (d) => {
			repositoryAt(d, "p/sub");
			writeFileSync(join(d, "p/sub/file"), "");
			pointer(join(d, "p"), "./sub/.git");
		},
	},
	{ of: "none", make: () => {} },
	{ of: "a file that names nothing", make: (d) => pointer(join(d, "p"), "../nothing") },
	{
		of: "a file that names nothing, below another",
		where: "p/a",
		make: (d) => {
			repositoryAt(d, "p");
			mkdirSync(join(d, "p/a"));
			pointer(join(d, "p/a"), "../nothing");
		},
	},
	/** What others' trees have is found, and not written to. */
	{
		...{ of: "a directory in the tree whose commondir is that of another", own: [] },
		make: (d) => {
			repositoryAt(d, "other");
			mkdirSync(join(d, "p/.git"));
			writeFileSync(join(d, "p/.git/HEAD"), "ref: refs/heads/main\n");
			writeFileSync(join(d, "p/.git/commondir"), "../../other/.git\n");
			writeFileSync(join(d, "p/.git/gitdir"), `${d}/p/.git\n`);
		},
	},
	{
		...{ of: "a link to that of another tree", own: [] },
		make: (d) => {
			repositoryAt(d, "other");
			writeFileSync(join(d, "other/file"), "");
			symlinkSync("../other/.git", join(d, "p/.git"));
		},
	},
	{
		...{ of: "a file that names the worktree of another", own: [] },
		make: (d) => {
			repositoryAt(d, "other");
			git(join(d, "other"), "worktree", "add", "-q", "../w");
			pointer(join(d, "p"), "../other/.git/worktrees/w");
		},
	},
	{
		...{ of: "a file that names the submodule of another", own: [] },
		make: (d) => {
			for (const at of ["other", "x"]) repositoryAt(d, at);
			git(join(d, "other"), "submodule", "add", "-q", "../x", "sub");
			pointer(join(d, "p"), "../other/.git/modules/sub");
		},
	},
];

// Seen to fail: of a link, a separate directory, relative paths and what `repo` makes, nothing could be written.
test.each(KINDS)("the repository is found as git finds it: $of", ({ make, where = "p", own }) => {
	const d = directory();
	make(d);
	const cwd = join(d, where);
	const around = repositoryAround(realpathSync(cwd));
	if (own === undefined || own.length > 0) expect(found(cwd)).toEqual(askedGit(cwd));
	expect((around && ownRepository(around))?.map((path) => path.slice(d.length + 1))).toEqual(own);
});
